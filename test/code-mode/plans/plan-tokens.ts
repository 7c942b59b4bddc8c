import type { BoundToolset, ToolSpec } from '@toolgen/runtime'
import { Runtime, renderForModel } from '@toolgen/runtime'
import { type CodeModeOptions, codeMode } from '@toolgen/runtime/code-mode'
import { openAiTool } from '@toolgen/runtime/projections'
import { get_encoding } from 'tiktoken'
import { type FakeSpec, fakeTools } from './fakes.js'
import type { Plan, Tools } from './nestful.js'
import { plainAnswer } from './plain-calls.js'
import { codeOf, pathsOf, programOf } from './plan-program.js'
import { planText } from './references.js'
import { resultOf } from './samples.js'

/** Turns and tokens of one conversation: tokens that the model reads, summed over all turns, and tokens that it writes. */
export interface Conversation {
  readonly turns: number
  readonly input: number
  readonly output: number
}

const encoding = get_encoding('o200k_base')

/** Counts tokens with the encoding of recent OpenAI models. */
export const tokensOf = (text: string): number => encoding.encode(text, [], []).length

/** Tokens of the final answer, which is the same in all conversations. */
const answerTokens = 60

/** Returns the tools of a plan, plus other tools of its specification up to `count`. */
export function agentOf({ steps }: Plan, tools: Tools, count: number): readonly FakeSpec[] {
  const own = new Set(steps.map(({ tool }) => tool))
  const others = [...tools.keys()].filter((name) => !own.has(name))
  const names = new Set([...own, ...others.slice(0, Math.max(0, count - own.size))])
  // Keeps the order of the specification.
  return [...tools].filter(([name]) => names.has(name)).map(([, spec]) => spec)
}

/** Returns the definitions of tools that OpenAI receives, as JSON. */
export const definitionsOf = (specs: readonly ToolSpec[]): string =>
  JSON.stringify(specs.map((spec) => openAiTool(spec, { strict: false }).tool))

/** A message of the model, and the text that it reads in reply. */
export interface Exchange {
  readonly written: string
  readonly read: string
}

/** Returns the turns and tokens of a conversation. Each inner array is one turn of the model. */
export function conversation(
  definitions: string,
  question: string,
  turns: readonly (readonly Exchange[])[],
): Conversation {
  let context = tokensOf(definitions) + tokensOf(question)
  let input = context
  let output = 0
  for (const exchanges of turns) {
    for (const { written, read } of exchanges) {
      output += tokensOf(written)
      context += tokensOf(written) + tokensOf(read)
    }
    input += context
  }
  return { turns: turns.length + 1, input, output: output + answerTokens }
}

/** Conversations about one plan. */
export interface PlanConversations {
  /** Plain calls, one per turn. */
  readonly plain: Conversation
  /** Plain calls. Independent calls are in one turn. */
  readonly parallel: Conversation
  /** A program. */
  readonly program: Conversation
  /** A program after a program that did not pass the check. */
  readonly corrected: () => Promise<Conversation>
  /** A program after tool searches: the first with the question, then one with the description of each missing tool. */
  readonly searched: () => Promise<Conversation>
}

/**
 * Returns the conversations that execute a plan with the tools `agent`, with the results of fakes. Plans that contradict their specification get the
 * same conversations.
 */
export async function planConversations(
  plan: Plan,
  tools: Tools,
  agent: readonly FakeSpec[],
  options: CodeModeOptions,
): Promise<PlanConversations> {
  const { tools: bound } = fakeTools(agent)
  const exchanges: Exchange[] = []
  const answer = await plainAnswer(plan, async (tool, args) => {
    const { toolset = '', name = tool, result: schema = {} } = tools.get(tool) ?? {}
    const result = resultOf(`${toolset}.${name}`, schema, args)
    exchanges.push({ written: `${toolset}_${name} ${JSON.stringify(args)}`, read: JSON.stringify(result) })
    return result
  })
  const plain = definitionsOf(bound.specs)
  const program = new Runtime().registerToolset(codeMode(bound, options))
  const code = codeOf(programOf(plan, pathsOf(tools)))
  const right = { written: writtenProgram(code), read: JSON.stringify({ value: answer }) }
  const definitions = definitionsOf(program.specs)
  const talk = (about: string, turns: readonly (readonly Exchange[])[]) => conversation(about, plan.question, turns)
  return {
    plain: talk(
      plain,
      exchanges.map((each) => [each]),
    ),
    parallel: talk(
      plain,
      levelsOf(plan).map((level) => level.flatMap((at) => exchanges[at] ?? [])),
    ),
    program: talk(definitions, [[right]]),
    corrected: async () => talk(definitions, [[await programExchange(program, misspelled(code))], [right]]),
    searched: async () => {
      const search = new Runtime().registerToolset(codeMode(bound, { ...options, search: true }))
      const first = await searchExchange(search, plan.question)
      const own = new Set(plan.steps.flatMap(({ tool }) => tools.get(tool) ?? []))
      const missing = [...own].filter(({ name }) => !first.read.includes(`function ${name.replaceAll(/\W+/g, '_')}(`))
      const more = await Promise.all(missing.map(({ description }) => searchExchange(search, description, 1)))
      const turns = [[first], ...(more.length === 0 ? [] : [more]), [right]]
      return talk(definitionsOf(search.specs), turns)
    },
  }
}

/** Returns the text that a model writes to run a program. */
export const writtenProgram = (code: string): string => `run_program ${JSON.stringify({ code })}`

/** Returns the exchange of a program that does not pass the check. */
async function programExchange(program: BoundToolset, code: string): Promise<Exchange> {
  const outcome = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
  if (outcome.status === 'completed') throw new Error(`The program must not pass the check:\n${code}`)
  return { written: writtenProgram(code), read: renderForModel(outcome) }
}

/** Returns the exchange of a search. */
async function searchExchange(tools: BoundToolset, query: string, limit?: number): Promise<Exchange> {
  const args = JSON.stringify({ query, limit })
  return {
    written: `search_tools ${args}`,
    read: renderForModel(await tools.execute({ tool: 'search_tools', arguments: args })),
  }
}

/** Misspells the first argument of a program. */
const misspelled = (code: string): string => code.replace(/\(\{ (\w+|"[^"]+")/, '({ misspelled')

/** Returns the positions of calls in groups that can run in parallel, in the order of their dependencies. */
function levelsOf({ steps }: Plan): readonly (readonly number[])[] {
  const levels: number[][] = []
  const levelOf = new Map<string, number>()
  for (const [at, { label, args }] of steps.entries()) {
    const level = Math.max(0, ...labelsIn(args).map((name) => (levelOf.get(name) ?? -1) + 1))
    levels[level] = [...(levels[level] ?? []), at]
    if (label !== undefined) levelOf.set(label, level)
  }
  return levels
}

function labelsIn(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(labelsIn)
  if (typeof value !== 'string') return []
  const parsed = planText(value)
  if (parsed.kind === 'literal') return []
  if (parsed.kind === 'reference') return [parsed.reference.label]
  return parsed.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.label]))
}
