import { type ChatMessageIssue, validateHistory } from '@toolgen/runtime/chat'

/** Issues of single messages that a person can see in a valid conversation, or that the run reports. */
const OTHER_ISSUES: ReadonlySet<ChatMessageIssue['code']> = new Set([
  ...(['empty_tool_calls', 'empty_message', 'duplicate_call_id', 'unanswered_call', 'unknown_answer'] as const),
  ...(['second_answer', 'early_answer', 'late_answer', 'unknown_pending'] as const),
])

/** Returns the messages that do not have the form of a chat message, each problem in one sentence with its JSON Pointer. */
export function messageProblems(messages: unknown): readonly string[] {
  return validateHistory(messages)
    .filter(({ code }) => !OTHER_ISSUES.has(code))
    .map((issue) => ('index' in issue ? `/${issue.index}${issue.path}: ${issue.message}` : issue.message))
}
