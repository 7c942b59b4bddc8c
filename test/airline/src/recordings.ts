import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Tool call to the original implementation, and its text result. */
export interface RecordedCall {
  name: string
  arguments: unknown
  result: string
}

/** Calls that were made in this order on one fresh database. */
export interface RecordedRun {
  id: string
  calls: RecordedCall[]
}

/** Task of tau-bench, with the calls that solve it. */
export interface RecordedTask extends RecordedRun {
  question: string
}

/** Returns the 50 tasks of tau-bench with the calls that solve them. */
export function recordedTasks(dataFolder: string): RecordedTask[] {
  const tasks: Task[] = readLines(join(dataFolder, 'tau/airline_tasks.jsonl'))
  const answers: TaskAnswers[] = readLines(join(dataFolder, 'tau/airline_expected_results.jsonl'))
  return tasks.map(({ id, instruction, calls }, index) => {
    const results = answers[index]?.id === id ? answers[index].results : []
    if (results.length !== calls.length) throw new Error(`${id}: ${calls.length} calls, ${results.length} results`)
    return { id, question: instruction, calls: calls.map((call, place) => ({ ...call, result: results[place] ?? '' })) }
  })
}

/** Returns the tool calls of 100 conversations between a model and a simulated customer. */
export function recordedConversations(dataFolder: string): RecordedRun[] {
  const conversations: Conversation[] = readLines(join(dataFolder, 'chat/tau_airline_trajectories.jsonl'))
  return conversations.map(({ source, messages }) => {
    // Ids repeat within a conversation. A result belongs to the latest call with its id.
    const latest = new Map<string, FunctionCall>()
    const calls: RecordedCall[] = []
    for (const { role, content, tool_calls, tool_call_id } of messages) {
      for (const { id, function: request } of tool_calls ?? []) latest.set(id, request)
      if (role !== 'tool') continue
      const request = latest.get(tool_call_id ?? '')
      if (request === undefined) throw new Error(`${source}: a result without its call, ${tool_call_id}`)
      calls.push({ name: request.name, arguments: JSON.parse(request.arguments), result: content ?? '' })
    }
    return { id: source, calls }
  })
}

interface Task {
  id: string
  instruction: string
  calls: { name: string; arguments: unknown }[]
}

interface TaskAnswers {
  id: string
  results: string[]
}

interface Conversation {
  source: string
  messages: {
    role: string
    content: string | null
    tool_calls?: { id: string; function: FunctionCall }[] | null
    tool_call_id?: string
  }[]
}

interface FunctionCall {
  name: string
  arguments: string
}

function readLines<Line>(file: string): Line[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}
