//! The names of members that reach the user as they are.

macro_rules! extra_names {
    ($($name:ident = $text:literal,)*) => {
        /// A member that a format passes on under its own name. One byte, so that a field is no
        /// more: tokens are copied for every event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum ExtraName { $($name,)* }

        impl ExtraName {
            pub const fn as_str(self) -> &'static str {
                match self { $(ExtraName::$name => $text,)* }
            }
        }
    };
}

extra_names! {
    Annotations = "annotations",
    ApprovalRequestId = "approval_request_id",
    Async = "async",
    Audio = "audio",
    Caller = "caller",
    CitationMetadata = "citationMetadata",
    CodeExecutionResult = "codeExecutionResult",
    CreatedBy = "created_by",
    Error = "error",
    ExecutableCode = "executableCode",
    ExecutedTools = "executed_tools",
    ExtraContent = "extra_content",
    FileData = "fileData",
    FinishMessage = "finishMessage",
    GroundingMetadata = "groundingMetadata",
    InlineData = "inlineData",
    Namespace = "namespace",
    Output = "output",
    ServerLabel = "server_label",
    ServerName = "server_name",
    ToolCall = "toolCall",
    ToolResponse = "toolResponse",
    ToolsetName = "toolset_name",
    UrlContextMetadata = "urlContextMetadata",
}
