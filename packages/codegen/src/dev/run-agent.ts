import { isFields } from '../defined.js'
import { type Checked, type Diagnostic, errorAt, warning } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { diskErrorText, isDiskError } from '../files.js'
import { loadInstalled } from './installed-runtime.js'
import { agentNameOf, type CallerOptions, openModule } from './open-module.js'
import { type LoadedModule, type Servable, toolsOf } from './served-module.js'

/** Agent of a module that the command line can run. */
export interface RunnableAgent {
  readonly name: string
  readonly description: string
  /** Ids of the agent's tools. */
  readonly tools: readonly string[]
}

/** An object that the runtime of the project created. Its properties have unknown types, because this runtime is loaded dynamically. */
export type Fields = Readonly<Record<string, unknown>>

/** A call that needs an approval, or another question, for whose answer a run waits. */
export interface PendingQuestion {
  /** Id under which the answer is passed to the run. */
  readonly id: string
  readonly kind: string
  /** Question, tool and arguments, as the suspension of the run contains them. */
  readonly pending: Fields
}

/** Request to run an agent, and the functions that observe it. */
export interface AgentRequest {
  readonly agent: string
  readonly prompt: string
  readonly options: CallerOptions
  /** Receives the parts of the run as they occur: events, items, and deltas of the model's responses. */
  readonly onPart: (part: Fields) => void
  /** Returns the answer to a question. If it returns `undefined`, the run stays suspended. */
  readonly answer: (question: PendingQuestion) => Promise<unknown>
  /** Is aborted to cancel the run. */
  readonly signal: AbortSignal
  /** Cassette for recording or replaying the run. Default: the run is neither recorded nor replayed. */
  readonly cassette?: CassetteFile
}

/** A cassette: a file with recorded requests to models and tools, and their responses. */
export interface CassetteFile {
  /** Absolute path of the file. */
  readonly file: string
  /** `record` writes the file; `replay` takes the responses from the file. */
  readonly mode: 'record' | 'replay'
}

/** Agents of a loaded module. */
export interface OpenedAgents {
  readonly agents: readonly RunnableAgent[]
  /**
   * Runs an agent until the run ends, or until it waits for an answer that `answer` does not give. Resolves with the runtime's object for
   * the run.
   */
  run(request: AgentRequest): Promise<Checked<Fields>>
  /** Calls the `close` function of the module. Returns an error if this function fails. */
  close(): Promise<readonly Diagnostic[]>
}

/** Opens the agents of a module. */
export async function openAgents(
  load: () => Promise<Checked<LoadedModule>>,
  root: string,
): Promise<Checked<OpenedAgents>> {
  const { value: module, diagnostics } = await openModule(load, root)
  if (module === undefined) return { diagnostics }
  const byName = new Map(
    module.registered.flatMap((owner) => (isAgent(owner) ? [[owner.agent.name, owner] as const] : [])),
  )
  const agents = [...byName].map(([name, owner]) => {
    return { name, description: String(owner.agent.description), tools: toolsOf(owner).map(({ id }) => id) }
  })
  return {
    diagnostics,
    value: {
      agents,
      close: module.close,
      async run({ agent: name, prompt, options, onPart, answer, signal, cassette: file }) {
        const agent = byName.get(name)
        if (agent === undefined) return { diagnostics: [unknownAgent(name, [...byName.keys()])] }
        const { value: own, diagnostics: missing } = await module.optionsOf(toolsOf(agent), options)
        if (own === undefined) return { diagnostics: missing }
        // The calls of nested agents appear too.
        const plain = { ...own, signal, deepTracing: true }
        const taped = file === undefined ? undefined : await openTape(file, plain, root)
        if (taped !== undefined && taped.value === undefined) return { diagnostics: taped.diagnostics }
        const { options: all, close, discard } = taped?.value ?? { options: plain }
        try {
          let run = await ended(agent.run(prompt, all), onPart)
          for (;;) {
            const answers = await answersTo(run.suspension, answer)
            if (answers === undefined) return { value: run, diagnostics: (await close?.(run)) ?? [] }
            run = await ended(agent.resume(run.suspension, answers, all), onPart)
          }
        } finally {
          await discard?.()
        }
      },
    },
  }
}

/** Options of a run with the layers of a cassette, which record or replay the run. */
interface Taped {
  readonly options: object
  /**
   * Ends the recording or replay of a run. Returns an error if this fails, for example if a replay did not need all recorded responses.
   * Returns a warning if the recording was not written, because the run failed or was cancelled.
   */
  close(run: Fields): Promise<readonly Diagnostic[]>
  /** Ends a recording or replay that is not closed. The file does not change. */
  discard(): Promise<void>
}

/** Opens a cassette, and adds its layers to the options of a run. */
async function openTape({ file, mode }: CassetteFile, options: Fields, root: string): Promise<Checked<Taped>> {
  const open = await loadInstalled('@toolgen/runtime/testing', 'openCassette', root)
  if (open.value === undefined) return { diagnostics: open.diagnostics }
  const newConfig = await loadInstalled('@toolgen/runtime', 'runConfig', root)
  if (newConfig.value === undefined) return { diagnostics: newConfig.diagnostics }
  try {
    const cassette = (await Reflect.apply(open.value, undefined, [file, { mode }])) as InstalledCassette
    const config = (options.config ?? Reflect.apply(newConfig.value, undefined, [])) as Config
    const onEvent = (event: unknown): void => {
      cassette.sink(event)
      if (typeof options.onEvent === 'function') options.onEvent(event)
    }
    const taped = { ...options, onEvent, config: config.layer(cassette.toolLayer()).modelLayer(cassette.modelLayer()) }
    const close = async ({ status }: Fields): Promise<readonly Diagnostic[]> => {
      if (mode === 'record' && (status === 'failed' || status === 'cancelled')) {
        const what = status === 'failed' ? 'failed' : 'was cancelled'
        const next = 'Correct the problem, and record the run again.'
        return [warning('TG7011', `The run ${what}, so the cassette \`${file}\` was not written.`, next)]
      }
      try {
        await cassette.close()
        return []
      } catch (error) {
        return [cassetteFailed(error, { file, mode })]
      }
    }
    return { value: { options: taped, close, discard: () => cassette.discard() }, diagnostics: [] }
  } catch (error) {
    return { diagnostics: [cassetteFailed(error, { file, mode })] }
  }
}

function cassetteFailed(error: unknown, { file, mode }: CassetteFile): Diagnostic {
  if (isDiskError(error)) {
    const message = `Cannot ${mode === 'record' ? 'write' : 'read'} the cassette \`${file}\`: ${diskErrorText(error)}.`
    return errorAt(undefined, 'TG7011', message, 'Check the path and its permissions, or use another path.')
  }
  const [message = '', ...more] = (error instanceof Error ? error.message : String(error)).split('\n')
  const next =
    isFields(error) && error.code === 'not_a_cassette'
      ? 'Use the path of a cassette. To record a run, you can also use the path of a new file.'
      : mode === 'record'
        ? 'Correct the problem, and record the run again.'
        : 'Record the run again: add `--record`.'
  return errorAt(undefined, 'TG7011', message, next, {
    related: more.map((line) => ({ message: line.replace(/^- /, '') })),
  })
}

/** The cassette (recording of a run) that `openCassette` returns. Declared here, because the runtime of the project is loaded dynamically. */
interface InstalledCassette {
  readonly sink: (event: unknown) => unknown
  toolLayer(): unknown
  modelLayer(): unknown
  close(): Promise<void>
  discard(): Promise<void>
}

/** The run configuration that `runConfig` returns. Declared here, because the runtime of the project is loaded dynamically. */
interface Config {
  layer(layer: unknown): Config
  modelLayer(layer: unknown): Config
}

async function ended(handle: Handle, onPart: AgentRequest['onPart']): Promise<Fields> {
  for await (const part of handle.parts()) onPart(part)
  return handle
}

/** Asks for the answers to all questions of a suspension. Returns `undefined` if no question was answered. */
async function answersTo(
  suspension: unknown,
  answer: AgentRequest['answer'],
): Promise<Readonly<Record<string, unknown>> | string | undefined> {
  if (!isFields(suspension)) return undefined
  const pending = Array.isArray(suspension.pending) ? suspension.pending.filter(isFields) : []
  if (pending.length === 0) {
    const text = await answer({ id: '', kind: String(suspension.kind), pending: { prompt: suspension.question } })
    return isFields(text) && typeof text.text === 'string' ? text.text : undefined
  }
  const answers: Record<string, unknown> = {}
  for (const each of pending) {
    const value = await answer({ id: String(each.id), kind: String(each.kind), pending: each })
    if (value !== undefined) answers[String(each.id)] = value
  }
  return Object.keys(answers).length === 0 ? undefined : answers
}

interface Handle extends PromiseLike<Fields> {
  parts(): AsyncIterable<Fields>
}

interface Runnable {
  readonly agent: { readonly name: string; readonly description: string }
  run(prompt: string, options: object): Handle
  resume(suspension: unknown, answers: unknown, options: object): Handle
}

function isAgent(owner: Servable): owner is Servable & Runnable {
  return agentNameOf(owner) !== undefined && 'run' in owner && 'resume' in owner
}

function unknownAgent(name: string, known: readonly string[]): Diagnostic {
  if (known.length === 0) {
    const message = 'The module has no agents, only toolsets.'
    const next = 'Export a registered agent: `export const tools = registerSupport(runtime, { planner, toolsets })`.'
    return errorAt(undefined, 'TG7010', message, next)
  }
  const message = `The module has no agent \`${name}\`.`
  return unknownNameAt(undefined, 'TG7010', message, name, known, `Use one of: ${known.join(', ')}.`)
}
