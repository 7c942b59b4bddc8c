import { SchemaIndex } from '../schema/references.js'
import type { FailureSpec } from '../types/failure.js'
import type { AgentToolSpec, ToolSpec } from '../types/tool.js'
import { Comments, identifier, namespaceIdentifier, pascal, unique } from './declaration-text.js'
import { type Print, printed, TypeReader, TypeTable, type TypeText } from './type-reader.js'

/** A function that programs call, and its tool. */
export interface ApiFunction {
  /** Name as programs write it, e.g. `orders.getOrder`. */
  readonly path: string
  /** Name of the tool for models, e.g. `orders_getOrder`. */
  readonly toolName: string
  /** Declaration with the comments of its arguments, e.g. `function getOrder(args: { orderId: string }): Promise<Order>`. */
  readonly signature: string
}

/** TypeScript declarations of tools, as {@link apiDeclarations} returns them. */
export interface ApiDeclarations {
  /** TypeScript source: the type `Json`, and one namespace per toolset. */
  readonly text: string
  /** The declared functions, in the order of the tools. */
  readonly functions: readonly ApiFunction[]
}

/**
 * Properties of a tool's spec that its declaration needs. The name of the namespace is the toolset name in `qualifiedId`; without a
 * `qualifiedId`, it is the value of `toolset`.
 */
export type DeclaredTool = Pick<ToolSpec, 'toolset' | 'name' | 'toolName' | 'description' | 'arguments' | 'result'> &
  Partial<Pick<AgentToolSpec, 'qualifiedId' | 'failures'>>

/** Options for {@link apiDeclarations}: the comments in the declarations. */
export interface DeclarationOptions {
  /**
   * Descriptions that become comments. `short`: the first sentence of each tool and argument, at most 120 characters, unless it only
   * repeats names. `full`: all descriptions, also those of results. `none`: no comments. Default: `short`.
   */
  readonly comments?: 'none' | 'short' | 'full'
}

/**
 * Returns compact TypeScript declarations of tools, for models and for a type checker. Every toolset is a namespace with
 * its name in the agent. Every tool is a function with one argument, which contains the fields that models may send. Fields with a default are optional. Schemas that several tools use are
 * declared once. A keyword without a TypeScript equivalent, such as `minimum`, has no effect on the types.
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

/** Declarations of an API. Parts of them can be printed. */
export interface WholeApi extends ApiDeclarations {
  /** Returns the text for the check of programs: the declarations, and the types of the declared failures. */
  checked(): string
  /**
   * Returns the declarations of the functions of some tools and of the types that they need. The types have the same names as in the whole
   * API.
   */
  part(toolNames: ReadonlySet<string>): string
}

/** Returns the declarations of {@link apiDeclarations} in a form in which parts can be printed. */
export function wholeApi(specs: readonly DeclaredTool[], { comments = 'short' }: DeclarationOptions = {}): WholeApi {
  const toolsets = new Map<string, DeclaredTool[]>()
  for (const spec of specs) {
    const toolset = toolsetName(spec)
    toolsets.set(toolset, [...(toolsets.get(toolset) ?? []), spec])
  }
  const taken = new Set<string>()
  const namespaces = [...toolsets].map(([toolset, members]) =>
    namespaceOf(unique(namespaceIdentifier(toolset), taken), members, comments),
  )
  const paths = new Map(namespaces.flatMap(({ functions }) => functions.map(({ spec, entry }) => [spec, entry])))
  const textOf = (parts: readonly NamespaceParts[]): string => [jsonType, ...parts.map(namespaceText)].join('\n')
  const text = textOf(namespaces)
  let checked: string | undefined
  return {
    text,
    checked: () => {
      // Created on demand: an HTTP API can have thousands of failures.
      checked ??= text + failureTypes(specs)
      return checked
    },
    functions: specs.map((spec) => paths.get(spec)).filter((entry) => entry !== undefined),
    part: (toolNames) => textOf(namespaces.map((each) => partOf(each, toolNames)).filter(hasFunctions)),
  }
}

/** Returns the name of a tool's toolset in its agent: the middle part of `qualifiedId`, which is `provider.toolset.tool`. */
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
  /** The declaration with its comment. */
  readonly text: string
  /** Types of the data of the declared failures. */
  readonly data: string
}

const hasFunctions = ({ functions }: NamespaceParts): boolean => functions.length > 0

function namespaceText({ namespace, types, functions }: NamespaceParts): string {
  // Without indentation, which costs tokens.
  const body = [...types, ...functions].map(({ text }) => `${text}\n`).join('')
  return `declare namespace ${namespace} {\n${body}}`
}

/** Returns the part of a namespace with the functions of some tools and the types that they need. */
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
    // Without comments, the declared failures are left out, because only a comment can contain them.
    const failures = (comments === 'none' ? [] : declaredBy(spec)).map((failure) => {
      return { name: failure.name, print: failure.schema === undefined ? undefined : dataType(types, spec, failure) }
    })
    return { spec, about, payload, printPayload: payload.root(() => pascal(spec.name)), printResult, failures }
  })
  // Arguments come first, because types that arguments and results share keep the comments.
  const pass = (withComments: boolean) => {
    const payloads = tools.map(({ printPayload }) => printed(printPayload, withComments))
    const results = tools.map(({ printResult }) => printed(printResult, withComments))
    const data = tools.map(({ failures }) => failures.map(({ print }) => print && printed(print, false)))
    return { payloads, results, data }
  }
  // The first pass finds the object types that occur several times. The second pass finds those that only occur in each other.
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

/** Returns the failures that the design declares. Error statuses of an HTTP API are left out, because they would cost tokens in each tool. */
function declaredBy({ failures = [] }: DeclaredTool): readonly FailureSpec[] {
  return failures.filter(({ hint }) => hint !== undefined)
}

/** Returns the type of the data of a failure, without comments. */
function dataType(types: TypeTable, spec: DeclaredTool, { name, schema }: Pick<FailureSpec, 'name' | 'schema'>): Print {
  if (schema === undefined) return 'undefined'
  const reader = new TypeReader(types, new SchemaIndex(schema), new Comments('none', spec), 'result')
  return reader.root(() => pascal(name))
}

/**
 * Returns the namespace `ToolFailures` with the data types of all declared failures by name. The check gives these types to the errors that
 * programs catch. Models do not read this text.
 */
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
  // `pascal` creates no name that begins with a small letter, so no type has the name `byName`.
  const named = types
    .declarations()
    .map(({ text }) => `${text}\n`)
    .join('')
  return `\ndeclare namespace ToolFailures {\n${named}interface byName {\n${fields}}\n}`
}
