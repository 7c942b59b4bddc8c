import { SchemaIndex } from '../schema/references.js'
import type { FailureSpec } from '../types/failure.js'
import type { AgentToolSpec, ToolSpec } from '../types/tool.js'
import { Comments, identifier, namespaceIdentifier, pascal, unique } from './declaration-text.js'
import { type Print, printed, TypeReader, TypeTable, type TypeText } from './type-reader.js'

/** Function that programs of code mode can call, and the tool that the function runs. */
export interface ApiFunction {
  /** Name of the function in programs, e.g. `orders.getOrder`. */
  readonly path: string
  /** Name of the tool for models, e.g. `orders_getOrder`. */
  readonly toolName: string
  /** TypeScript declaration of the function, e.g. `function getOrder(args: { orderId: string }): Promise<Order>`. */
  readonly signature: string
}

/** TypeScript declarations of tools. Returned by {@link apiDeclarations}. */
export interface ApiDeclarations {
  /** TypeScript source code: the type `Json`, and one namespace per toolset. */
  readonly text: string
  /** The declared functions, in the order of the tools. */
  readonly functions: readonly ApiFunction[]
}

/**
 * Properties of a tool that its TypeScript declaration needs. `qualifiedId` contains the name of the namespace. Without `qualifiedId`,
 * `toolset` is the name of the namespace.
 */
export type DeclaredTool = Pick<ToolSpec, 'toolset' | 'name' | 'toolName' | 'description' | 'arguments' | 'result'> &
  Partial<Pick<AgentToolSpec, 'qualifiedId' | 'failures'>>

/** Options for {@link apiDeclarations}: the comments in the declarations. */
export interface DeclarationOptions {
  /**
   * Descriptions that become comments. `short`: first sentence of the description of each tool and argument, at most 120 characters, without
   * repetitions of names. `full`: descriptions of tools, arguments and results. `none`: no comments. Default: `short`.
   */
  readonly comments?: 'none' | 'short' | 'full'
}

/**
 * Returns compact TypeScript declarations of tools, for models and for a type checker. Each toolset becomes a namespace. Each tool becomes a
 * function with one argument, an object with the tool's arguments. Fields with a default are optional. Tools of a toolset share the
 * declarations of common types. A keyword without a TypeScript equivalent, such as `minimum`, has no effect on the types.
 *
 * @throws {SchemaError} if a schema is invalid
 * @example
 * apiDeclarations([getOrderSpec]).text
 * // type Json = ...
 * // declare namespace orders {
 * // /** Fetch one order *\/
 * // function getOrder(args: { orderId: string }): Promise<{ id: string; total: number }>
 * // }
 */
export function apiDeclarations(specs: readonly DeclaredTool[], options: DeclarationOptions = {}): ApiDeclarations {
  const { text, functions } = wholeApi(specs, options)
  return { text, functions }
}

export interface WholeApi extends ApiDeclarations {
  /** Text for the program checker: `text`, and the types of declared failures. */
  checked(): string
  /** Types have the same names in a part as in the declarations of all tools. */
  part(toolNames: ReadonlySet<string>): string
}

export function wholeApi(specs: readonly DeclaredTool[], { comments = 'short' }: DeclarationOptions = {}): WholeApi {
  const toolsets = new Map<string, DeclaredTool[]>()
  for (const spec of specs) {
    const toolset = toolsetName(spec)
    toolsets.set(toolset, [...(toolsets.get(toolset) ?? []), spec])
  }
  const names = namespaceNames([...toolsets.keys()])
  const namespaces = [...toolsets.values()].map((members, at) => namespaceOf(names[at] ?? '', members, comments))
  const paths = new Map(namespaces.flatMap(({ functions }) => functions.map(({ spec, entry }) => [spec, entry])))
  const textOf = (parts: readonly NamespaceParts[]): string => [jsonType, ...parts.map(namespaceText)].join('\n')
  const text = textOf(namespaces)
  let checked: string | undefined
  return {
    text,
    checked: () => {
      // Creates the text on demand, because an HTTP API can have thousands of failures.
      checked ??= text + failureTypes(specs)
      return checked
    },
    functions: specs.map((spec) => paths.get(spec)).filter((entry) => entry !== undefined),
    part: (toolNames) => textOf(namespaces.map((each) => partOf(each, toolNames)).filter(hasFunctions)),
  }
}

/**
 * Returns the names of the namespaces in which {@link apiDeclarations} declares toolsets, in the order of `toolsets`. Each name is a valid
 * identifier, and differs from the others.
 *
 * @example
 * namespaceNames(['github-api', 'github_api']) // ['github_api', 'github_api2']
 */
export function namespaceNames(toolsets: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return toolsets.map((toolset) => unique(namespaceIdentifier(toolset), taken))
}

/**
 * Returns the part of the result of {@link apiDeclarations} that declares one toolset. A caller that keeps these parts only needs to declare
 * changed toolsets again.
 *
 * @throws {SchemaError} if a schema is invalid
 * @example
 * namespaceDeclaration('orders', [getOrderSpec]) // declare namespace orders { ... }
 */
export function namespaceDeclaration(namespace: string, tools: readonly DeclaredTool[]): string {
  return namespaceText(namespaceOf(namespace, tools, 'short'))
}

/**
 * An agent can rename a toolset with `as`. `toolset` is the name before the renaming. `qualifiedId` contains the name after the renaming, for example
 * `orders` in `service.orders.getOrder`, where `service` is the kind of the provider.
 */
function toolsetName({ toolset, name, qualifiedId }: DeclaredTool): string {
  return qualifiedId === undefined ? toolset : qualifiedId.slice(qualifiedId.indexOf('.') + 1, -name.length - 1)
}

// `undefined` is part of `Json`, because TypeScript adds it to optional fields.
const jsonType = 'type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json }'

interface NamespaceParts {
  readonly namespace: string
  readonly types: readonly TypeText[]
  readonly functions: readonly FunctionText[]
}

interface FunctionText {
  readonly spec: DeclaredTool
  readonly entry: ApiFunction
  readonly text: string
  /** Types of the data of the tool's declared failures. */
  readonly data: string
}

const hasFunctions = ({ functions }: NamespaceParts): boolean => functions.length > 0

function namespaceText({ namespace, types, functions }: NamespaceParts): string {
  // Omits indentation, which costs tokens.
  const body = [...types, ...functions].map(({ text }) => `${text}\n`).join('')
  return `declare namespace ${namespace} {\n${body}}`
}

function partOf(parts: NamespaceParts, toolNames: ReadonlySet<string>): NamespaceParts {
  const functions = parts.functions.filter(({ entry }) => toolNames.has(entry.toolName))
  const texts = new Map(parts.types.map(({ name, text }) => [name, text]))
  const needed = new Set<string>()
  const visit = (text: string): void => {
    for (const [word] of text.matchAll(/[\p{ID_Continue}$]+/gu)) {
      const type = texts.get(word)
      if (type === undefined || needed.has(word)) continue
      needed.add(word)
      visit(type)
    }
  }
  for (const { entry, data } of functions) visit(`${entry.signature} ${data}`)
  return { ...parts, functions, types: parts.types.filter(({ name }) => needed.has(name)) }
}

function namespaceOf(
  namespace: string,
  specs: readonly DeclaredTool[],
  comments: 'none' | 'short' | 'full',
): NamespaceParts {
  const types = new TypeTable()
  const tools = specs.map((spec) => {
    const about = new Comments(comments, spec)
    const ofResult = comments === 'full' ? about : new Comments('none', spec)
    const payload = new TypeReader(types, new SchemaIndex(spec.arguments), about, 'arguments')
    const result = new TypeReader(types, new SchemaIndex(spec.result), ofResult, 'result')
    const printResult = result.root(() => `${pascal(spec.name)}Result`)
    // Omits the declared failures if comments are off, because only a comment can contain failures.
    const failures = (comments === 'none' ? [] : declaredBy(spec)).map((failure) => {
      return { name: failure.name, print: failure.schema === undefined ? undefined : dataType(types, spec, failure) }
    })
    return { spec, about, payload, printPayload: payload.root(() => pascal(spec.name)), printResult, failures }
  })
  // Prints arguments before results, because a type that both share has the comments of its first use.
  const pass = (withComments: boolean) => {
    const payloads = tools.map(({ printPayload }) => printed(printPayload, withComments))
    const results = tools.map(({ printResult }) => printed(printResult, withComments))
    const data = tools.map(({ failures }) => failures.map(({ print }) => print && printed(print, false)))
    return { payloads, results, data }
  }
  // The first pass finds repeated object types. The second pass excludes types that occur only inside other repeated types.
  for (let count = 0; count < 2; count += 1) {
    pass(false)
    types.nextPass()
  }
  const { payloads, results, data } = pass(true)
  const taken = new Set<string>()
  const functions = tools.map(({ spec, about, payload, failures }, at) => {
    const name = unique(identifier(spec.name), taken)
    const argument = payload.hasNoFields ? '' : `args${payload.allOptional ? '?' : ''}: ${payloads[at]}`
    const signature = `function ${name}(${argument}): Promise<${results[at]}>`
    const throws = failures.map(({ name: failure }, position) => {
      const type = data[at]?.[position]
      return `@throws ${failure}${type === undefined ? '' : ` ${type}`}`
    })
    const said = [about.ofTool(), ...throws].filter(Boolean).join(' ')
    const text = said === '' ? signature : `/** ${said.replaceAll('*/', '*\\/')} */\n${signature}`
    const entry = { path: `${namespace}.${name}`, toolName: spec.toolName, signature }
    return { spec, entry, text, data: data[at]?.join(' ') ?? '' }
  })
  return { namespace, types: types.declarations(), functions }
}

function declaredBy({ failures = [] }: DeclaredTool): readonly FailureSpec[] {
  // Error statuses of an HTTP API have no hint. Their types would cost tokens in each tool.
  return failures.filter(({ hint }) => hint !== undefined)
}

function dataType(types: TypeTable, spec: DeclaredTool, { name, schema }: Pick<FailureSpec, 'name' | 'schema'>): Print {
  if (schema === undefined) return 'undefined'
  const reader = new TypeReader(types, new SchemaIndex(schema), new Comments('none', spec), 'result')
  return reader.root(() => pascal(name))
}

/** The program checker needs these types for caught errors. Models do not read the types. */
function failureTypes(specs: readonly DeclaredTool[]): string {
  const types = new TypeTable()
  const data = new Map<string, Set<string>>()
  for (const spec of specs) {
    for (const failure of spec.failures ?? []) {
      data.set(failure.name, (data.get(failure.name) ?? new Set()).add(printed(dataType(types, spec, failure), false)))
    }
  }
  if (data.size === 0) return ''
  const fields = [...data].map(([name, members]) => `'${name}': ${[...members].join(' | ')}\n`).join('')
  // The name `byName` is free, because `pascal` only creates names with a capital letter.
  const named = types
    .declarations()
    .map(({ text }) => `${text}\n`)
    .join('')
  return `\ndeclare namespace ToolFailures {\n${named}interface byName {\n${fields}}\n}`
}
