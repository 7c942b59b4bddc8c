import type { AgentRun } from '@toolgen/runtime/agents'
import type { ChatToolCall } from '@toolgen/runtime/chat'

/** Prints one line. */
export type Print = (line: string) => void

/** Prints the calls of each turn, the calls of programs, and the answer. */
export function printRun(title: string, { outcomes, messages, result, stop }: AgentRun, print: Print): void {
  print(`${title}\n`)
  for (const message of messages) {
    const calls = (message.role === 'assistant' && message.tool_calls) || []
    if (calls.length === 0) continue
    const ended = outcomes.filter(({ call }) => calls.some(({ id }) => id === call.toolCallId))
    print(`calls ${counts(ended.map(({ call }) => call.tool))}`)
    for (const call of calls) printProgram(call, print)
    for (const { call, status, provenance, ...outcome } of ended) {
      if (call.tool !== 'program.run_program') continue
      if (provenance.children !== undefined) print(`which calls ${counts(provenance.children.map(({ tool }) => tool))}`)
      print(`${status}: ${'json' in outcome ? outcome.json : 'hint' in outcome ? outcome.hint.message : ''}`)
    }
  }
  print(`answer: ${result?.text ?? stop.reason}\n`)
}

function printProgram(call: ChatToolCall, print: Print): void {
  if (call.type === 'custom' || call.function.name !== 'run_program') return
  for (const line of JSON.parse(call.function.arguments).code.split('\n')) print(`  ${line}`)
}

/** Prints turns, calls and tokens of both runs. */
export function printTotals({ calls, code }: Readonly<Record<'calls' | 'code', AgentRun>>, print: Print): void {
  print('             turns  calls  input tokens  output tokens')
  for (const [name, { usage }] of [
    ['tool calls', calls],
    ['a program', code],
  ] as const) {
    const { turns, toolCalls, promptTokens, completionTokens } = usage
    const figures = [
      [turns, 5],
      [toolCalls, 7],
      [promptTokens, 14],
      [completionTokens, 15],
    ] as const
    print(name.padEnd(13) + figures.map(([figure, width]) => String(figure).padStart(width)).join(''))
  }
}

/** Returns the names with the number of their occurrences, for example `a, b (8)`. */
function counts(names: readonly string[]): string {
  const unique = [...new Set(names)].map((name) => [name, names.filter((each) => each === name).length] as const)
  return unique.map(([name, count]) => (count === 1 ? name : `${name} (${count})`)).join(', ')
}
