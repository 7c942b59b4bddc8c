import { join } from 'node:path'
import { type BoundAgent, Runtime, renderForModel } from '@toolgen/runtime'
import { type CodeModeOptions, codeMode } from '@toolgen/runtime/code-mode'
import { registerAirline } from '../../airline/gen/agents/airline/index.js'
import { AirlineService } from '../../airline/src/airline-service.js'
import { type AirlineDatabase, freshDatabase, loadAirlineDatabase, usedRowsOf } from '../../airline/src/database.js'
import { type RecordedTask, recordedTasks } from '../../airline/src/recordings.js'
import { type Conversation, conversation, definitionsOf, type Exchange, writtenProgram } from './plan-tokens.js'

/** A task, executed with plain calls and as a program, each on a fresh database. */
export interface AirlineRun {
  readonly id: string
  readonly plain: AirlineCalls
  readonly program: AirlineCalls
  readonly tokens: { readonly plain: Conversation; readonly program: Conversation }
}

interface AirlineCalls {
  readonly tools: readonly string[]
  /** Results of the calls. */
  readonly values: unknown
  /** The rows of the database that the calls read or wrote, after the calls. */
  readonly rows: ReturnType<typeof usedRowsOf>
}

/**
 * Executes the 50 airline tasks of tau-bench. A program has one statement per call and returns all results. The arguments are literals, because the
 * recordings do not tell which result an argument was taken from.
 *
 * @throws {Error} if a call fails, or if a program does not pass the check
 */
export async function airlineRuns(dataFolder: string, options: CodeModeOptions): Promise<readonly AirlineRun[]> {
  const original = loadAirlineDatabase(join(dataFolder, 'tau/airline_db'))
  const runs: AirlineRun[] = []
  for (const task of recordedTasks(dataFolder)) runs.push(await runOf(task, original, options))
  return runs
}

async function runOf(
  { id, question, calls }: RecordedTask,
  original: AirlineDatabase,
  options: CodeModeOptions,
): Promise<AirlineRun> {
  const one = opened(original)
  const exchanges: Exchange[] = []
  const tools: string[] = []
  const values: unknown[] = []
  for (const { name, arguments: args } of calls) {
    const call = { tool: `airline_${name}`, arguments: JSON.stringify(args) }
    const outcome = await one.agent.execute(call)
    if (outcome.status !== 'completed') throw new Error(`${id}: ${renderForModel(outcome)}`)
    exchanges.push({ written: `${call.tool} ${call.arguments}`, read: outcome.json })
    tools.push(outcome.call.tool)
    values.push(outcome.result.data)
  }
  const other = opened(original)
  const program = new Runtime().registerToolset(codeMode(other.agent, options))
  const code = programOf(calls)
  const outcome = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
  if (outcome.status !== 'completed') throw new Error(`${id}: ${renderForModel(outcome)}\n${code}`)
  return {
    id,
    plain: { tools, values, rows: usedRowsOf(one.database) },
    program: {
      tools: (outcome.provenance.children ?? []).map(({ tool }) => tool),
      values: JSON.parse(outcome.json).value,
      rows: usedRowsOf(other.database),
    },
    tokens: {
      plain: conversation(
        definitionsOf(one.agent.specs),
        question,
        exchanges.map((each) => [each]),
      ),
      program: conversation(definitionsOf(program.specs), question, [
        [{ written: writtenProgram(code), read: renderForModel(outcome) }],
      ]),
    },
  }
}

function opened(original: AirlineDatabase): { readonly agent: BoundAgent; readonly database: AirlineDatabase } {
  const database = freshDatabase(original)
  const client = new AirlineService(database)
  return { agent: registerAirline(new Runtime(), { toolsets: { airline: { client } } }), database }
}

function programOf(calls: RecordedTask['calls']): string {
  const lines = calls.map(({ name, arguments: args }) => `await airline.${name}(${JSON.stringify(args)}),`)
  return ['return [', ...lines, ']'].join('\n')
}
