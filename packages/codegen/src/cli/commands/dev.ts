import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { cacheFolderFor } from '../../cache.js'
import {
  DevProject,
  type DevServices,
  type LoadedTools,
  type StudioReport,
  type StudioServer,
} from '../../dev/dev-project.js'
import { notServed } from '../../dev/serve.js'
import { findModule } from '../../dev/served-module.js'
import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { isDiskError } from '../../files.js'
import { generate } from '../../generate.js'
import type { GenerateResult } from '../../plan-output.js'
import { configFileOf, failedInBackground } from '../../project.js'
import { printable } from '../../text.js'
import type { WatchRun } from '../../watch/watch-project.js'
import { WatchedFiles } from '../../watch/watched-files.js'
import { type CommandContext, type CommonOptions, wrongUsage } from '../context.js'
import { count, type ExitCode, exitCodes } from '../format.js'
import { EndSignals, type SignalPause, type Terminal } from '../terminal.js'
import { notWatched, reportOf } from './generate.js'

export interface DevCommandOptions extends CommonOptions {
  readonly module?: string
  readonly port?: string
  readonly open: boolean
}

/** If the port is in use, `toolgen dev` selects a free port. A port from `--port` must be free. */
const STUDIO_PORT = 4600

const TIME_LIMIT = 60_000

/**
 * Delay before each load of the module, in milliseconds. Without the delay, a file that changed immediately before the load would cause a second
 * load.
 */
const SETTLE = 25

export async function run(options: DevCommandOptions, context: CommandContext): Promise<ExitCode> {
  const port = portOf(options.port)
  if (typeof port !== 'number') return context.report([port])
  const named = options.module === undefined ? undefined : findModule(options.module, context.cwd)
  if (named !== undefined && named.value === undefined) return context.report(named.diagnostics)
  return new Session(options, context, port).run()
}

function portOf(text: string | undefined): number | Diagnostic {
  if (text === undefined) return STUDIO_PORT
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  const next = 'Use a number from 1 to 65535, or 0 for any free port.'
  return wrongUsage(`--port must be a port number, not \`${text}\`.`, next)
}

class Session {
  readonly #options: DevCommandOptions
  readonly #context: CommandContext
  readonly #port: number
  readonly #ending = new AbortController()
  readonly #files = new WatchedFiles()
  #signals: EndSignals | undefined
  #project: DevProject | undefined
  /** Most recent task. Tasks run one after the other: each new task waits for this promise. */
  #work: Promise<void> = Promise.resolve()
  #output = ''
  #failure: readonly Diagnostic[] | undefined
  #thrown: unknown

  constructor(options: DevCommandOptions, context: CommandContext, port: number) {
    this.#options = options
    this.#context = context
    this.#port = port
  }

  async run(): Promise<ExitCode> {
    const { cwd, project, report } = this.#context
    const { config } = this.#options
    const { signal } = this.#ending
    const startedAt = performance.now()
    const first = await generate(project)
    this.#reportRun({ result: first, changed: [], milliseconds: Math.round(performance.now() - startedAt) })
    // Before, a signal ends the process at once, even if the design blocks it.
    this.#signals = new EndSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], () => this.#ending.abort())
    try {
      const opened = await this.#open(first)
      if (opened !== undefined) {
        // The watcher evaluates the design again, in its own thread. The studio is ready before.
        const { watchProject } = await import('../../watch/watch-project.js')
        const choice = { cwd, ...(config !== undefined && { config }), force: false, timeLimit: TIME_LIMIT, signal }
        const onRun = (run: WatchRun): void => this.#afterRun(run, opened, first)
        await Promise.all([watchProject({ ...choice, onRun }), this.#watchModule(opened)])
      }
      await this.#work
    } catch (error) {
      if (!isDiskError(error)) throw error
      this.#failure = [notWatched(error)]
    } finally {
      this.#ending.abort()
      this.#files.close()
    }
    if (this.#thrown !== undefined) throw this.#thrown
    // From now on, a signal ends the process at once, even if the module blocks it. The signal that ended the session has been handled before.
    await setImmediate()
    this.#signals?.pause().begin()
    const left = (await this.#project?.close()) ?? []
    const failed = [...(this.#failure ?? []), ...left]
    return failed.length === 0 ? exitCodes.ok : report(failed, { oneLine: true })
  }

  async #open(first: GenerateResult): Promise<DevProject | undefined> {
    const project = new DevProject(this.#context.project, this.#options.module, first, this.#services())
    this.#project = project
    this.#context.onEvaluate?.('module')
    this.#context.onBackgroundError?.((thrown) => this.#reportBackground(project, thrown))
    const loaded = await this.#reload(project)
    const server = await this.#serve(project)
    if (server === undefined) return undefined
    this.#report(loaded, server.url)
    if (this.#options.open && this.#context.terminal.noteIsTerminal) this.#openBrowser(server.oneTimeUrl())
    return project
  }

  #openBrowser(url: string): void {
    const configFile = configFileOf(this.#context.project)
    // Browsers in a sandbox cannot read temporary folders.
    const folder = (configFile && cacheFolderFor(configFile)) ?? mkdtempSync(join(tmpdir(), 'toolgen-'))
    const file = join(folder, 'studio.html')
    rmSync(file, { force: true })
    // Other users of the machine can read the arguments of processes, so the URL is in a file that only this user can read.
    const page = `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><title>toolgen studio</title>\n`
    writeFileSync(file, page, { mode: 0o600, flag: 'wx' })
    this.#ending.signal.addEventListener('abort', () => rmSync(file, { force: true }))
    const [command = '', ...args] =
      process.platform === 'darwin'
        ? ['open', file]
        : process.platform === 'win32'
          ? ['cmd', '/c', 'start', '""', file]
          : ['xdg-open', file]
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    child.on('error', () => undefined)
    child.unref()
  }

  /** Ignores the first run of the watcher if its result equals `first`, which was printed before. */
  #afterRun(run: WatchRun, project: DevProject, first: GenerateResult): void {
    const { result, changed } = run
    const isSame = result.upToDate ? first.ok : isEqualJson(result.diagnostics, first.diagnostics)
    if (changed.length === 0 && isSame) return
    this.#reportRun(run)
    this.#enqueue(async () => {
      project.generated(result)
      if (project.isDesignAlone) await this.#load(project)
    })
  }

  #reportRun({ result, milliseconds }: WatchRun): void {
    const { terminal, report } = this.#context
    this.#output = result.output
    if (this.#context.reporter === 'json') return
    const {
      facts: _,
      diagnostics,
      summary,
      ...rest
    } = reportOf(result, milliseconds, this.#options, terminal.noteStyle)
    report(diagnostics, { ...rest, summary: `${this.#clock()} ${summary}` })
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (isDiskError(error)) this.#failure = [notWatched(error)]
      else this.#thrown = error
      this.#ending.abort()
    })
    return this.#work
  }

  async #watchModule(project: DevProject): Promise<void> {
    const { signal } = this.#ending
    for (;;) {
      await this.#files.next(signal)
      if (signal.aborted) return
      await this.#enqueue(() => this.#load(project))
    }
  }

  async #load(project: DevProject): Promise<void> {
    if (!this.#ending.signal.aborted) this.#report(await this.#reload(project))
  }

  async #reload(project: DevProject): Promise<LoadedTools> {
    // Files that changed immediately before they are read would count as changed again.
    await pause(SETTLE)
    const startedAt = Date.now()
    const loaded = await project.load()
    if (!this.#ending.signal.aborted) this.#files.watch(loaded.root, loaded.files, startedAt)
    return loaded
  }

  async #serve(project: DevProject): Promise<StudioServer | undefined> {
    const { port } = this.#options
    try {
      const { value, diagnostics } = await project.serve(this.#port).catch((error: unknown) => {
        if (port !== undefined || !isDiskError(error) || error.code !== 'EADDRINUSE') throw error
        return project.serve(0)
      })
      if (value === undefined) this.#failure = diagnostics
      return value
    } catch (error) {
      this.#failure = [{ ...notServed(error), next: 'Choose another --port. --port 0 uses any free port.' }]
      return undefined
    }
  }

  #report({ diagnostics, root, module, isFailed, tools, agents }: LoadedTools, url?: string): void {
    const { terminal, report } = this.#context
    const from = module === undefined ? 'the design; without a module, nothing can be called' : module
    const owners = agents.length === 0 ? '' : ` of ${count(agents.length, 'agent')}`
    const members = `${count(tools, 'tool')}${owners}`
    const style = terminal.noteStyle
    const result = isFailed
      ? `${style('red', 'not loaded')}: ${from}, so nothing can be called; the studio shows ${members} of the generated code`
      : `${style('green', 'loaded')}: ${members} from ${from}`
    const lines = [
      `${this.#clock()} ${result}`,
      ...(url === undefined ? [] : [`${style('green', 'studio')}: ${url}`, 'press Ctrl+C to stop']),
    ]
    report(diagnostics, {
      ...{ root, oneLine: true, summary: lines.join('\n') },
      facts: { ...(url !== undefined && { url }), ...(module !== undefined && { module }), tools, agents },
    })
  }

  #reportBackground(project: DevProject, thrown: unknown): void {
    const { terminal, report, reporter } = this.#context
    const error = failedInBackground(thrown, 'module')
    if (!project.failedInBackground(error)) return
    report([error], { oneLine: true })
    if (reporter === 'pretty' && thrown instanceof Error) terminal.note(`${printable(thrown.stack ?? '')}\n`)
  }

  #clock(): string {
    return this.#context.terminal.noteStyle('dim', new Date().toTimeString().slice(0, 8))
  }

  #services(): DevServices {
    return {
      report: (name, base) => this.#withoutSignals((pause) => this.#jsonOf(name, base, pause)),
      evaluate: (work) =>
        this.#withoutSignals((pause) => {
          pause?.begin()
          return work()
        }),
      async countTokens(text) {
        const { loadCounter } = await import('../../tokens/measure.js')
        return (await loadCounter('o200k_base'))(text)
      },
    }
  }

  async #withoutSignals<Result>(work: (pause: SignalPause | undefined) => Promise<Result>): Promise<Result> {
    const pause = this.#signals?.pause()
    try {
      return await work(pause)
    } finally {
      pause?.end()
    }
  }

  async #jsonOf(name: StudioReport, base: string | undefined, pause: SignalPause | undefined): Promise<unknown> {
    const hooks = { onEvaluate: () => pause?.begin(), onEvaluated: () => pause?.end() }
    const project = { ...this.#context.project, ...hooks }
    if (name === 'coverage') {
      const { coverage } = await import('../coverage.js')
      return coverage(project, this.#output)
    }
    if (name === 'drift') {
      const { drift } = await import('../drift.js')
      return drift(project)
    }
    const [{ commandContext }, lint, tokens, diff] = await Promise.all([
      import('../run-command.js'),
      import('./lint.js'),
      import('./tokens.js'),
      import('./diff.js'),
    ])
    const { project: _, report: __, ...context } = this.#context
    const { config } = this.#options
    let output = ''
    const terminal: Terminal = {
      ...context.terminal,
      out: (text) => {
        output += text
      },
    }
    const common = { json: true, ...(config !== undefined && { config }) }
    const inner = { ...commandContext(name, common, { ...context, terminal }), project }
    const commands = {
      lint: () => lint.run(common, inner),
      tokens: () => tokens.run(common, inner),
      diff: () => diff.run({ ...common, base }, inner),
    }
    await commands[name]()
    return JSON.parse(output)
  }
}

function isEqualJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
