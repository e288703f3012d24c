//! Standard input with a limit for one message.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Larger messages end the session. A file in a message takes more than its size, because it is escaped.
pub(super) const MAX_MESSAGE: usize = 64 << 20;

/// Fails after a line that is too long: the SDK would drop the message, and its sender would wait for an answer.
pub(super) struct LimitedLines<R> {
    input: R,
    length: usize,
}

impl<R> LimitedLines<R> {
    pub(super) fn new(input: R) -> LimitedLines<R> {
        LimitedLines { input, length: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LimitedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.input).poll_read(context, buffer))?;
        let new = &buffer.filled()[before..];
        self.length = match new.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => new.len() - end - 1,
            None => self.length + new.len(),
        };
        if self.length > MAX_MESSAGE {
            let message = format!("guard mcp: a message has more than {MAX_MESSAGE} bytes");
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, message)));
        }
        Poll::Ready(Ok(()))
    }
}
