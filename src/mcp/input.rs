//! Standard input with a limit for one message.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Larger messages end the session. A file in a message takes more than its size, because it is escaped.
pub(super) const MAX_MESSAGE: usize = 64 << 20;

/// Fails after a line that is too long: the SDK would drop the message, and its sender would wait for an answer.
pub(super) struct LimitedLines<R> {
    input: R,
    length: usize,
    is_exceeded: Arc<AtomicBool>,
}

impl<R> LimitedLines<R> {
    /// The lines, and whether one was too long: the SDK does not tell why a session ended.
    pub(super) fn new(input: R) -> (LimitedLines<R>, Arc<AtomicBool>) {
        let is_exceeded = Arc::<AtomicBool>::default();
        let lines = LimitedLines {
            input,
            length: 0,
            is_exceeded: Arc::clone(&is_exceeded),
        };
        (lines, is_exceeded)
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
            self.is_exceeded.store(true, Ordering::Relaxed);
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        Poll::Ready(Ok(()))
    }
}
