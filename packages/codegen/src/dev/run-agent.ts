import { isFields } from '../defined.js'
import { type Checked, type Diagnostic, errorAt, warning } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { diskErrorText, isDiskError } from '../files.js'
import { loadInstalled } from './installed-runtime.js'
import { agentNameOf, type CallerOptions, openModule } from './open-module.js'
import { type LoadedModule, type Servable, toolsOf } from './served-module.js'

export interface RunnableAgent {
  readonly name: string
  readonly description: string
  readonly tools: readonly string[]
}

export type Fields = Readonly<Record<string, unknown>>

export interface PendingQuestion {
  readonly id: string
  readonly kind: string
  readonly pending: Fields
}

export interface AgentRequest {
  readonly agent: string
  readonly prompt: string
  readonly options: CallerOptions
  readonly onPart: (part: Fields) => void
  /** If the answer is `undefined`, the run stays suspended. */
  readonly answer: (question: PendingQuestion) => Promise<unknown>
  readonly signal: AbortSignal
  readonly cassette?: CassetteFile
}

export interface CassetteFile {
  readonly file: string
  readonly mode: 'record' | 'replay'
}

export interface OpenedAgents {
  readonly agents: readonly RunnableAgent[]
  readonly notRunnable: readonly string[]
  /** The returned run object of the runtime has ended, or is suspended because `answer` returned no answer to a question. */
  run(request: AgentRequest): Promise<Checked<Fields>>
  close(): Promise<readonly Diagnostic[]>
}

export async function openAgents(
  load: () => Promise<Checked<LoadedModule>>,
  root: string,
): Promise<Checked<OpenedAgents>> {
  const { value: module, diagnostics } = await openModule(load, root)
  if (module === undefined) return { diagnostics }
  const byName = new Map(
    module.registered.flatMap((owner) => (isAgent(owner) ? [[owner.agent.name, owner] as const] : [])),
  )
  const runnable = [...byName].filter(([, { canRun }]) => canRun)
  const agents = runnable.map(([name, owner]) => {
    return { name, description: String(owner.agent.description), tools: toolsOf(owner).map(({ id }) => id) }
  })
  return {
    diagnostics,
    value: {
      agents,
      notRunnable: [...byName].flatMap(([name, { canRun }]) => (canRun ? [] : [name])),
      close: module.close,
      async run({ agent: name, prompt, options, onPart, answer, signal, cassette: file }) {
        const agent = byName.get(name)
        if (agent === undefined)
          return { diagnostics: [unknownAgent(name, [...new Map(runnable.length > 0 ? runnable : byName).keys()])] }
        if (!agent.canRun) return { diagnostics: [noPlanner(name)] }
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

interface Taped {
  readonly options: object
  /**
   * Returns an error if, for example, the run did not use all recorded responses. Returns a warning if the cassette (recording) was not written,
   * because the run failed or was cancelled.
   */
  close(run: Fields): Promise<readonly Diagnostic[]>
  /** Does not change the file. Has no effect after `close`. */
  discard(): Promise<void>
}

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
  const code = isFields(error) ? error.code : undefined
  if (code === 'no_recording') {
    const next = 'Correct the path. To record the run to this file, add `--record`.'
    return errorAt(undefined, 'TG7011', `The cassette \`${file}\` does not exist.`, next)
  }
  const [message = '', ...more] = (error instanceof Error ? error.message : String(error)).split('\n')
  // The last line of a mismatch is the next step of a test.
  const isMismatch = code === 'not_recorded' || code === 'unused'
  const related = (isMismatch ? more.slice(0, -1) : more).map((line) => ({ message: line.replace(/^- /, '') }))
  return errorAt(undefined, 'TG7011', message, nextStep(mode, code), { related })
}

function nextStep(mode: CassetteFile['mode'], code: unknown): string {
  if (code === 'not_a_cassette') {
    return 'Use the path of a cassette. To record a run, you can also use the path of a new file.'
  }
  if (mode === 'record') return 'Correct the problem, and record the run again.'
  return code === 'not_recorded' || code === 'unused'
    ? 'Undo the change, or record the run again: add `--record`.'
    : 'Record the run again: add `--record`.'
}

/** Declared in this file, because the runtime is loaded dynamically. */
interface InstalledCassette {
  readonly sink: (event: unknown) => unknown
  toolLayer(): unknown
  modelLayer(): unknown
  close(): Promise<void>
  discard(): Promise<void>
}

interface Config {
  layer(layer: unknown): Config
  modelLayer(layer: unknown): Config
}

async function ended(handle: Handle, onPart: AgentRequest['onPart']): Promise<Fields> {
  for await (const part of handle.parts()) onPart(part)
  return handle
}

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
  readonly canRun: boolean
  run(prompt: string, options: object): Handle
  resume(suspension: unknown, answers: unknown, options: object): Handle
}

function isAgent(owner: Servable): owner is Servable & Runnable {
  return agentNameOf(owner) !== undefined && 'run' in owner && 'resume' in owner
}

function noPlanner(name: string): Diagnostic {
  const next = 'Pass `planner` or `agent` when you register the agent.'
  return errorAt(undefined, 'TG7010', `The agent \`${name}\` has no planner, so it cannot run.`, next)
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
