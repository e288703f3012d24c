"""Says which paths a reader of a rendered design sees: an oracle that shares no code with guard.

Reads {"affirm": [...], "deny": [...], "documents": [...]} from standard input. Each document is rendered by
cmark-gfm with GitHub's extensions and parsed as a browser would. Writes one list of [path, type] per document; without
"affirm", the visible text of all tables and lists of each document, whatever their headings say.
"""

import json
import re
import sys

from cmarkgfm import cmark
from cmarkgfm.cmark import Options
from selectolax.lexbor import LexborHTMLParser

OPTIONS = (
    Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_SOURCEPOS | Options.CMARK_OPT_FOOTNOTES
)
EXTENSIONS = ["table", "strikethrough", "autolink", "tagfilter", "tasklist"]
STRUCK = "del, s, strike"
# An unclosed `<b>` continues in the next block, where everything is still visible.
VISIBLE = {"a", "b", "i"}
# The elements that Markdown itself uses as containers.
CONTAINERS = {"blockquote", "ul", "ol", "li", "table", "section"}


def normal(text):
    text = re.sub(r"\s+", " ", text.replace("\u2019", "'")).strip().lower()
    return re.sub(r"^[^\w(]+|[^\w)]+$", "", text)


def text_of(node):
    return node.text(deep=True)


def is_markdown(node):
    return "data-sourcepos" in node.attributes


def ancestors(node):
    found = []
    node = node.parent
    while node is not None and node.tag != "body":
        if node.tag not in VISIBLE:
            found.append(node)
        node = node.parent
    return found


def is_within(node, outer):
    return any(other.mem_id == outer.mem_id for other in ancestors(node))


class Reader:
    def __init__(self, affirm, deny):
        self.affirm = affirm
        self.deny = deny
        self.stack = []
        self.seen = []
        self.label = None

    def heading(self, node, opens):
        level = int(node.tag[1])
        text = normal(text_of(node))
        self.stack = [entry for entry in self.stack if entry[0] < level]
        kind = "other"
        if text in self.deny:
            kind = "deny"
        elif opens and self.is_affirmed(text) and not node.css(STRUCK):
            kind = "affirm"
        self.stack.append((level, kind))
        self.label = None

    def is_affirmed(self, text):
        return any(text == title or text.endswith(" " + title) for title in self.affirm)

    def is_open(self):
        kinds = [kind for _, kind in self.stack]
        return "affirm" in kinds and "deny" not in kinds and self.label != "deny"

    def is_denied(self):
        return self.label == "deny" or any(kind == "deny" for _, kind in self.stack)

    def paragraph(self, node):
        # A label may follow other lines of the same paragraph.
        line = text_of(node).strip().split("\n")[-1].strip()
        text = normal(line)
        strong = node.css("strong")
        if line.endswith(":") or strong and normal(text_of(strong[-1])) == text:
            is_files = text == "files" or self.is_affirmed(text)
            self.label = "deny" if text in self.deny else "files" if is_files else None

    def cell_paths(self, cell):
        codes = [code for code in cell.css("code")]
        if codes:
            struck = cell.css(STRUCK)
            return [
                text_of(code).strip()
                for code in codes
                if not any(is_within(code, outer) for outer in struck)
            ]
        return [] if cell.css(STRUCK) else [text_of(cell).strip()]

    def table(self, node):
        header = [normal(text_of(cell)) for cell in node.css("thead th")]
        if "file" not in header:
            return
        for row in node.css("tbody tr"):
            cells = row.css("td")
            if len(cells) != len(header):
                continue
            kind = ""
            if "change type" in header:
                cell = cells[header.index("change type")]
                if cell.css(STRUCK):
                    continue
                kind = re.sub(r"\s+", " ", text_of(cell)).strip()
            for path in self.cell_paths(cells[header.index("file")]):
                self.seen.append([path, kind])

    def listing(self, node):
        for item in node.css("li"):
            lists = [outer for outer in ancestors(item) if outer.tag in ("ul", "ol")]
            if lists[0].mem_id != node.mem_id:
                continue
            struck = item.css(STRUCK)
            for code in item.css("code, a"):
                if not any(is_within(code, outer) for outer in struck):
                    self.seen.append([text_of(code).strip(), "*"])
            words = ""
            for part in item.iter(include_text=True):
                if part.tag == "-text":
                    words += part.text_content or ""
                elif part.tag in VISIBLE | {"p"} and not words.strip() and not part.css(STRUCK):
                    words += text_of(part)
                elif part.tag != "code":
                    break
            self.seen.append([words.strip().split("\n")[0], "*"])

    def read(self, body):
        for node in body.traverse():
            if not node.tag or node.tag[0] in "-_!":
                continue
            around = ancestors(node)
            if any(outer.tag in CONTAINERS and is_markdown(outer) for outer in around):
                continue
            top = not around and is_markdown(node)
            if re.fullmatch("h[1-6]", node.tag):
                self.heading(node, top)
            elif not top:
                continue
            elif node.tag == "p":
                self.paragraph(node)
            elif self.is_open() or (self.label == "files" and not self.is_denied()):
                if node.tag == "table":
                    self.table(node)
                elif node.tag in ("ul", "ol"):
                    self.listing(node)
        return self.seen


def visible_text(body):
    """The text of the tables and lists at the top level, without what is struck out."""
    found = []
    for node in body.traverse():
        if node.tag not in ("table", "ul", "ol") or ancestors(node) or not is_markdown(node):
            continue
        for struck in node.css(STRUCK):
            struck.decompose()
        found.append(text_of(node))
    return "\n".join(found)


def main():
    request = json.load(sys.stdin)
    affirm, deny = set(request.get("affirm", [])), set(request.get("deny", []))
    answer = []
    for document in request["documents"]:
        html = cmark.markdown_to_html_with_extensions(document, options=OPTIONS, extensions=EXTENSIONS)
        body = LexborHTMLParser("<!DOCTYPE html><body>" + html).body
        answer.append(Reader(affirm, deny).read(body) if affirm else visible_text(body))
    json.dump(answer, sys.stdout)


main()
