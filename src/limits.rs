//! Every bound of the crate, with its reason.

/// Bounds on what one stream may make a decoder hold.
///
/// Passing a limit is a typed [`Error`](crate::Error) of kind
/// [`ErrorKind::Limit`](crate::ErrorKind::Limit), never a cut value.
///
/// ```
/// use toolcall::Limits;
///
/// let limits = Limits::default().with_call(1 << 20);
/// assert_eq!(limits.call, 1 << 20);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one line before its end. Images arrive as single lines of 1 to 10 MB.
    pub line: usize,
    /// Bytes of one event's data, its joining line feeds counted.
    pub event: usize,
    /// Bytes of one call's raw arguments.
    pub call: usize,
    /// Bytes of raw arguments of all calls that are open at once.
    pub message: usize,
    /// Calls in one stream. Small units are an attack as well as large ones.
    pub calls: usize,
    /// Events waiting to be taken: one envelope may give that many.
    pub queue: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            line: 16 << 20,
            event: 32 << 20,
            call: 64 << 20,
            message: 256 << 20,
            calls: 16_384,
            queue: 65_536,
        }
    }
}

impl Limits {
    /// For a gateway that holds many streams at once.
    pub fn gateway() -> Self {
        Limits {
            line: 4 << 20,
            event: 8 << 20,
            call: 8 << 20,
            message: 16 << 20,
            calls: 1024,
            queue: 4096,
        }
    }

    /// For untrusted input on a small machine.
    pub fn small() -> Self {
        Limits {
            line: 64 << 10,
            event: 256 << 10,
            call: 256 << 10,
            message: 1 << 20,
            calls: 128,
            queue: 512,
        }
    }

    /// Sets the bound on one line, in bytes.
    pub fn with_line(mut self, bytes: usize) -> Self {
        self.line = bytes;
        self
    }

    /// Sets the bound on one event's data, in bytes.
    pub fn with_event(mut self, bytes: usize) -> Self {
        self.event = bytes;
        self
    }

    /// Sets the bound on one call's raw arguments, in bytes.
    pub fn with_call(mut self, bytes: usize) -> Self {
        self.call = bytes;
        self
    }

    /// Sets the bound on the raw arguments of all open calls, in bytes.
    pub fn with_message(mut self, bytes: usize) -> Self {
        self.message = bytes;
        self
    }

    /// Sets the bound on the number of calls in one stream.
    pub fn with_calls(mut self, calls: usize) -> Self {
        self.calls = calls;
        self
    }

    /// Sets the bound on the events one envelope may give.
    pub fn with_queue(mut self, events: usize) -> Self {
        self.queue = events;
        self
    }
}

/// Which of the [`Limits`] was passed.
///
/// An example is at [`Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitKind {
    /// [`Limits::line`].
    Line,
    /// [`Limits::event`].
    Event,
    /// [`Limits::call`].
    Call,
    /// [`Limits::message`].
    Message,
    /// [`Limits::calls`].
    Calls,
    /// [`Limits::queue`].
    Queue,
}

impl LimitKind {
    /// What the limit bounds, in words.
    pub fn as_str(self) -> &'static str {
        match self {
            LimitKind::Line => "the bytes of a line",
            LimitKind::Event => "the bytes of an event",
            LimitKind::Call => "the bytes of a call's arguments",
            LimitKind::Message => "the bytes of all open calls' arguments",
            LimitKind::Calls => "the number of calls",
            LimitKind::Queue => "the number of events in one envelope",
        }
    }
}
