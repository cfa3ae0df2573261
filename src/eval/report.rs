//! A score in, a page out: text for a terminal, Markdown, JSON.
