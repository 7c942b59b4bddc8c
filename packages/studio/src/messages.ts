import { type ChatMessageIssue, validateHistory } from '@toolgen/runtime/chat'

/** Issues that do no harm, or that a new run reports. */
const OTHER_ISSUES: ReadonlySet<ChatMessageIssue['code']> = new Set([
  ...(['empty_tool_calls', 'empty_message', 'duplicate_call_id', 'unanswered_call', 'unknown_answer'] as const),
  ...(['second_answer', 'early_answer', 'late_answer', 'unknown_pending'] as const),
])

export function messageProblems(messages: unknown): readonly string[] {
  return validateHistory(messages)
    .filter(({ code }) => !OTHER_ISSUES.has(code))
    .map((issue) => ('index' in issue ? `/${issue.index}${issue.path}: ${issue.message}` : issue.message))
}
