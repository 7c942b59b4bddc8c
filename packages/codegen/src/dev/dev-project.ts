import { existsSync, readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isFields } from '../defined.js'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { readText, relativePath } from '../files.js'
import { evaluateModule } from '../load/evaluate-module.js'
import { overdue, type ProjectOptions } from '../project.js'
import { parseJson } from '../schema/json-error.js'
import { loadInstalled } from './installed-runtime.js'
import { agentNameOf, type OpenedModule, openModule } from './open-module.js'
import { findModule, loadServed, readResultId, toolsModulePath, toolsOf } from './served-module.js'

/** `coverage` and `drift` exist only in the studio. The other reports are the JSON output of commands. */
export type StudioReport = 'lint' | 'tokens' | 'diff' | 'coverage' | 'drift'

export interface DevServices {
  readonly report: (report: StudioReport, base: string | undefined) => Promise<unknown>
  /** During the work, signals such as SIGINT end the process immediately, because code of the user can block the process. */
  readonly evaluate: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly countTokens: (text: string) => Promise<number>
}

export interface Generated {
  readonly root: string
  /** Relative to `root`. */
  readonly output: string
  readonly diagnostics: readonly Diagnostic[]
}

export interface LoadedTools {
  readonly diagnostics: readonly Diagnostic[]
  readonly root: string
  /** Relative to `root`. The module can be missing. */
  readonly module?: string
  readonly isFailed: boolean
  /** Absolute paths. Includes the module with the tools, even if the module is missing. */
  readonly files: readonly string[]
  readonly tools: number
  readonly agents: readonly string[]
}

export interface StudioServer {
  readonly url: string
  oneTimeUrl(): string
  show(project: object): void
  cancelRuns(): void
  close(): Promise<void>
}

/** `diff` has one report for each compared revision. */
const MAX_REPORTS = 16

const LOAD_LIMIT = 60_000

const CLOSE_LIMIT = 5_000

/** Maximum number of shown errors from timers and promises of the module. */
const MAX_BACKGROUND = 20

export class DevProject {
  readonly #project: ProjectOptions
  readonly #named: string | undefined
  readonly #services: DevServices
  #server: StudioServer | undefined
  #generated: Generated
  #opened: OpenedModule | undefined
  #loaded: LoadedTools
  /** Tools in the generated code, which the studio shows if no module is loaded. */
  #specs: readonly object[] = []
  #isModuleMissing = true
  #generation = 0
  #background: readonly Diagnostic[] = []
  #reports = new Map<string, Promise<unknown>>()

  constructor(project: ProjectOptions, named: string | undefined, generated: Generated, services: DevServices) {
    this.#project = project
    this.#named = named
    this.#services = services
    this.#generated = generated
    this.#loaded = { diagnostics: [], root: generated.root, isFailed: false, files: [], tools: 0, agents: [] }
  }

  get isDesignAlone(): boolean {
    return this.#isModuleMissing
  }

  async serve(port: number): Promise<Checked<StudioServer>> {
    const serve = await loadInstalled('@toolgen/studio', 'serveStudio', this.#generated.root)
    if (serve.value === undefined) return { diagnostics: serve.diagnostics }
    const server: unknown = await Reflect.apply(serve.value, undefined, [this.#shown(), { port }])
    if (!isServer(server)) throw new TypeError('`serveStudio` of the installed studio does not return a server.')
    this.#server = server
    return { value: server, diagnostics: [] }
  }

  generated(generated: Generated): void {
    this.#generated = generated
    this.#show()
  }

  failedInBackground(error: Diagnostic): boolean {
    const isKnown = this.#background.some(({ message }) => message === error.message)
    if (isKnown || this.#background.length >= MAX_BACKGROUND) return false
    this.#background = [...this.#background, error]
    this.#show()
    return true
  }

  load(): Promise<LoadedTools> {
    return this.#services.evaluate(() => this.#load())
  }

  async #load(): Promise<LoadedTools> {
    // A module can wait for its runs before it closes. The server accepts no others until it shows the project again.
    this.#server?.cancelRuns()
    const left = await this.#closeModule()
    this.#background = []
    const { value: path, diagnostics: unnamed } = await toolsModulePath(this.#named, this.#project)
    const { value: found, diagnostics } =
      path === undefined ? { diagnostics: unnamed } : findModule(path.named, path.cwd)
    this.#isModuleMissing = found === undefined
    const expected = path && resolve(path.cwd, path.named)
    let files: readonly string[] = expected === undefined ? [] : [expected]
    const opened: Checked<OpenedModule> =
      found === undefined
        ? // The configuration names no module.
          { diagnostics: diagnostics.filter(({ code }) => code !== 'TG0001') }
        : await inTime(
            openModule(() => {
              const onRead = (read: readonly string[]): void => {
                files = [...new Set([...files, ...read])]
              }
              return loadServed(found.file, found.root, onRead)
            }, found.root),
          )
    this.#opened = opened.value
    const specs = opened.value === undefined ? await designSpecs(this.#generated) : { value: [], diagnostics: [] }
    this.#specs = specs.value ?? []
    const root = found?.root ?? this.#generated.root
    this.#loaded = {
      diagnostics: [...left, ...opened.diagnostics, ...specs.diagnostics],
      root,
      files,
      ...(expected !== undefined && { module: relativePath(root, expected) }),
      isFailed: expected !== undefined && opened.value === undefined,
      ...countOf(opened.value?.registered ?? this.#specs),
    }
    this.#show()
    return this.#loaded
  }

  async close(): Promise<readonly Diagnostic[]> {
    this.#server?.cancelRuns()
    await this.#server?.close()
    return this.#closeModule()
  }

  async #closeModule(): Promise<readonly Diagnostic[]> {
    const closing = this.#opened?.close()
    this.#opened = undefined
    if (closing === undefined) return []
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<readonly Diagnostic[]>((resolve) => {
      timer = setTimeout(() => {
        const message = `The \`close\` of the module did not end within ${CLOSE_LIMIT / 1000} seconds.`
        const next = 'Look for an endless loop or a promise that never settles in the `close` function of the export.'
        resolve([errorAt(undefined, 'TG7006', message, next)])
      }, CLOSE_LIMIT)
    })
    return Promise.race([closing, late]).finally(() => clearTimeout(timer))
  }

  #show(): void {
    this.#reports = new Map()
    this.#generation += 1
    this.#server?.show(this.#shown())
  }

  #shown(): object {
    const { root, diagnostics } = this.#generated
    const opened = this.#opened
    const { module, diagnostics: ofModule, root: ofLoaded } = this.#loaded
    const next = 'Set `module` in the configuration, or use `toolgen dev src/tools.ts`.'
    const reason =
      module === undefined
        ? `The project has no module with the tools. ${next}`
        : `\`${module}\` could not be loaded, so its tools cannot be called.`
    return {
      name: nameOf(root),
      generation: this.#generation,
      canCall: opened !== undefined,
      ...(opened === undefined && { reason }),
      ...(module !== undefined && { module }),
      reports: ['lint', 'tokens', 'diff', 'coverage', 'drift'],
      problems: [
        ...diagnostics.flatMap((each) => problemOf(each, root, root)),
        ...[...ofModule, ...this.#background].flatMap((each) => problemOf(each, ofLoaded, root)),
      ],
      tools: opened?.registered ?? this.#specs,
      context: (tool: string | undefined) => optionsOf(opened, tool),
      ...(opened?.sessions !== undefined && { sessions: opened.sessions }),
      report: (report: StudioReport, base: string | undefined) => this.#report(report, base),
      countTokens: (_vendor: string, definition: object) => this.#services.countTokens(JSON.stringify(definition)),
    }
  }

  #report(report: StudioReport, base: string | undefined): Promise<unknown> {
    const key = `${report} ${base ?? ''}`
    const known = this.#reports.get(key)
    if (known !== undefined) return known
    const [oldest] = this.#reports.keys()
    if (this.#reports.size >= MAX_REPORTS && oldest !== undefined) this.#reports.delete(oldest)
    const made = this.#services.report(report, base)
    this.#reports.set(key, made)
    const forget = (): boolean => this.#reports.get(key) === made && this.#reports.delete(key)
    // Servers can change at any time, so the next request compares again.
    made.then(report === 'drift' ? forget : undefined, forget)
    return made
  }
}

async function optionsOf(opened: OpenedModule | undefined, tool: string | undefined): Promise<object> {
  const { value, diagnostics } = (await opened?.contextOf(tool)) ?? { value: {}, diagnostics: [] }
  if (value === undefined) throw new Error(diagnostics.map(({ message }) => message).join(' '))
  return value
}

async function inTime(opening: Promise<Checked<OpenedModule>>): Promise<Checked<OpenedModule>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Checked<OpenedModule>>((resolve) => {
    timer = setTimeout(() => {
      resolve({ diagnostics: [overdue('module', LOAD_LIMIT)] })
      // The module may still finish loading after the time limit.
      opening.then(({ value }) => value?.close()).catch(() => undefined)
    }, LOAD_LIMIT)
  })
  return Promise.race([opening, late]).finally(() => clearTimeout(timer))
}

async function designSpecs({ root, output }: Generated): Promise<Checked<readonly object[]>> {
  const usedSpecs = await loadInstalled('@toolgen/runtime/codegen/v1', 'usedSpecs', root)
  if (usedSpecs.value === undefined) return { diagnostics: usedSpecs.diagnostics }
  const { value: specsOf } = usedSpecs
  const owners: object[] = []
  const diagnostics: Diagnostic[] = []
  const exportsOf = async (file: string): Promise<readonly unknown[]> => {
    const module = await evaluateModule(file, root, { code: 'TG7001', what: 'module to import' })
    diagnostics.push(...module.diagnostics)
    return [...module.exports].map(([, value]) => value)
  }
  for (const file of generatedModules(join(root, output, 'agents'), 'specs')) {
    const exported = await exportsOf(file)
    const agent = exported.find((value) => isFields(value) && 'description' in value)
    const advertised = exported.find((value) => typeof value === 'function' && value.name === 'advertisedSpecs')
    if (agent !== undefined && typeof advertised === 'function') owners.push({ agent, specs: advertised() })
  }
  const used = new Set(owners.flatMap(toolsOf).map(({ toolset }) => toolset))
  for (const file of generatedModules(join(root, output, 'toolsets'), 'index')) {
    const toolset = (await exportsOf(file)).find((value) => isFields(value) && Array.isArray(value.tools))
    if (!isFields(toolset) || used.has(String(toolset.name))) continue
    owners.push({ specs: Reflect.apply(specsOf, undefined, [[{ toolset, provider: 'function' }]]) })
  }
  return { value: owners, diagnostics }
}

function generatedModules(folder: string, name: string): readonly string[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).map((each) => join(folder, each, `${name}.ts`))
  return files.filter((file) => existsSync(file)).sort()
}

function countOf(owners: readonly object[]): Pick<LoadedTools, 'tools' | 'agents'> {
  const tools = owners.flatMap(toolsOf).filter(({ id }) => id !== readResultId)
  return { tools: tools.length, agents: owners.flatMap((owner) => agentNameOf(owner) ?? []) }
}

function nameOf(root: string): string {
  const manifest = parseJson(readText(join(root, 'package.json')))
  const name = 'json' in manifest && isFields(manifest.json) ? manifest.json.name : undefined
  return typeof name === 'string' ? name : basename(root)
}

function problemOf(diagnostic: Diagnostic, from: string, root: string): readonly object[] {
  const { severity, code, message, next, location } = diagnostic
  if (severity === 'note') return []
  const file =
    location && (/^https?:/.test(location.file) ? location.file : relativePath(root, join(from, location.file)))
  return [
    {
      ...{ severity, code, message, next },
      ...(location !== undefined && { place: `${file}:${location.line}:${location.column}` }),
    },
  ]
}

function isServer(value: unknown): value is StudioServer {
  return isFields(value) && typeof value.url === 'string' && typeof value.show === 'function'
}
