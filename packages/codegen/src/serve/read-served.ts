import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near.js'
import { messageOf } from '../installed/message-of.js'
import type { LoadedModule } from './load-served.js'

/** A registration, or a toolset or agent that is bound already. Nothing more of the runtime's types is known here. */
export type Servable = object

/** What a module exports, in the form of a project. */
export interface ServedParts {
  readonly toolsets: readonly Servable[]
  /** The module's own runtime. */
  readonly runtime?: object
  /** What the module opened is closed by it. */
  readonly close?: () => unknown
  /** What is passed on as it is: `server`, `instructions`, `context`. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Reads what a module exports; anything that cannot be served is told by what it is. */
export function readServed(module: LoadedModule): Checked<ServedParts> {
  const wrong = (what: string): Checked<ServedParts> => ({ diagnostics: [cannotServe(module, what)] })
  try {
    return partsOf(module, wrong)
  } catch (error) {
    // A getter of the module's own.
    return wrong(`cannot be read: ${messageOf(error)}`)
  }
}

function partsOf({ exported }: LoadedModule, wrong: (what: string) => Checked<ServedParts>): Checked<ServedParts> {
  if (isServable(exported)) return { value: { toolsets: [exported], options: {} }, diagnostics: [] }
  const project: unknown = Array.isArray(exported) ? { toolsets: exported } : exported
  if (!isFields(project) || !Array.isArray(project.toolsets)) return wrong(`is ${describe(exported)}`)
  const { toolsets, runtime, close, ...options } = project
  const other = toolsets.findIndex((each) => !isServable(each))
  if (other !== -1) return wrong(`has ${describe(toolsets[other])} as its toolset ${other + 1}`)
  if (toolsets.length === 0) return wrong('has no toolsets')
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(passedOn, key))
  if (unknown !== undefined) return wrong(`has a field \`${unknown}\`${meant(unknown)}`)
  if (runtime !== undefined && !isRuntime(runtime)) return wrong(`has ${describe(runtime)} as its \`runtime\``)
  if (!isOptionalFunction(close)) return wrong(`has ${describe(close)} as its \`close\``)
  const misfit = Object.entries(passedOn).find(([key, fits]) => options[key] !== undefined && !fits(options[key]))
  if (misfit !== undefined) return wrong(`has ${describe(options[misfit[0]])} as its \`${misfit[0]}\``)
  const value: ServedParts = {
    toolsets,
    options,
    ...(runtime !== undefined && { runtime }),
    ...(close !== undefined && { close: () => close.call(project) }),
  }
  return { value, diagnostics: [] }
}

/** The fields that the runtime is given as they are, and what they must be. */
const passedOn: Readonly<Record<string, (value: unknown) => boolean>> = {
  server: (value) => isFields(value) && typeof value.name === 'string' && typeof value.version === 'string',
  instructions: (value) => typeof value === 'string',
  context: (value) => typeof value === 'function',
}

function meant(field: string): string {
  const [near] = nearest(field, ['toolsets', 'runtime', 'close', ...Object.keys(passedOn)])
  return near === undefined ? '' : `, perhaps for \`${near}\``
}

/** A registration has what it uses and what runs it; what is bound has its tools and runs them. */
function isServable(value: unknown): value is Servable {
  if (!isFields(value)) return false
  return Array.isArray(value.specs)
    ? typeof value.execute === 'function'
    : isFields(value.use) && isFields(value.executor) && typeof value.wrap === 'function'
}

function isRuntime(value: unknown): value is object {
  return isFields(value) && typeof value.registerToolset === 'function'
}

function isOptionalFunction(value: unknown): value is (() => unknown) | undefined {
  return value === undefined || typeof value === 'function'
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** What a value is, in words for people. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return isNamed(value) ? `the function \`${value.name}\`` : 'a function'
  if (typeof value !== 'object') return `a ${typeof value}`
  const kind = Object.getOwnPropertyDescriptor(value, '~toolgen')?.value
  if (typeof kind === 'string') return `${article(kind)} ${kind} of the design`
  const maker: unknown = Object.getPrototypeOf(value)?.constructor
  if (isNamed(maker) && maker.name !== 'Object') return `${article(maker.name)} ${maker.name}`
  const fields = Object.keys(value)
  return fields.length === 0 ? 'an object without fields' : `an object with the fields ${fields.slice(0, 8).join(', ')}`
}

function isNamed(value: unknown): value is { readonly name: string } {
  return typeof value === 'function' && value.name !== ''
}

function article(word: string): string {
  return /^[aeiou]/i.test(word) ? 'an' : 'a'
}

function cannotServe({ name, place }: LoadedModule, what: string): Diagnostic {
  return {
    code: 'TG7003',
    severity: 'error',
    message: `${name.charAt(0).toUpperCase()}${name.slice(1)} ${what}.`,
    place,
    next: 'Export registrations, bound toolsets or bound agents, one or a list, or `{ toolsets, runtime, context }` with them; `satisfies ServedModule` checks it.',
  }
}
