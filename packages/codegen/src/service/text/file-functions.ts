import type { ToolPlan } from '../plan/plan.js'
import { type ConversionFunction, functionText, objectText, type TextScope } from './conversion-text.js'
import {
  conversionKey,
  type NamedPlan,
  type ReachedType,
  type SharedConversion,
  sharedConversions,
} from './shared-conversions.js'
import type { ServiceToolNames } from './tool-names.js'
import { typePathText } from './type-path-text.js'

/** The type that a definition of the toolset has in the executor file: `types.Order`. */
export type DefinitionType = (definition: string, form: 'sent' | 'read') => string

/** The functions of one executor file: those of recursive conversions and those that several tools share. */
export interface FileFunctions {
  readonly payloadScope: (names: ServiceToolNames, helpers: Set<string>) => TextScope
  readonly resultScope: (plan: ToolPlan, names: ServiceToolNames, helpers: Set<string>) => TextScope
  /** The texts of all functions that were needed, in the order in which they were first asked for. */
  readonly texts: () => readonly string[]
}

/** The functions of an executor over these tools. */
export function fileFunctions(tools: readonly NamedPlan[], definitionType: DefinitionType): FileFunctions {
  const shared = sharedConversions(tools)
  const written = new Map<string, string>()
  const taken = new Set<string>()
  const scopes: Map<string, ConversionFunction>[] = []

  const claim = (start: string, definition: string | undefined, stem: string): string => {
    const type = definition === undefined ? `${stem}Part` : definitionType(definition, 'sent')
    const name = `${start}${type.slice(type.lastIndexOf('.') + 1)}`
    let free = name
    for (let number = 2; taken.has(free); number++) free = `${name}${number}`
    taken.add(free)
    return free
  }
  const scope = (own: Omit<TextScope, 'functions'>): TextScope => {
    const functions = new Map<string, ConversionFunction>()
    scopes.push(functions)
    return { ...own, functions }
  }
  const payloadScope: FileFunctions['payloadScope'] = (names, helpers) =>
    scope({
      helpers,
      claimName: (definition) => claim('from', definition, names.stem),
      functionTypes: ({ from, to, definition }) => ({
        from: definition === undefined ? typePathText(names.payload, from) : definitionType(definition, 'read'),
        to: typePathText(names.args, to),
      }),
      sharedFunction: () => undefined,
    })
  const resultScope: FileFunctions['resultScope'] = (plan, names, helpers) => {
    const inner: TextScope = scope({
      helpers,
      claimName: (definition) => claim('to', definition, names.stem),
      functionTypes: ({ from, to, definition }) => ({
        from: typePathText(answerOf(plan, names), from),
        to: madeType(
          plan,
          definition === undefined ? typePathText(names.result, to) : definitionType(definition, 'sent'),
        ),
      }),
      sharedFunction: (conversion) => {
        const key = conversionKey(conversion)
        const found = shared.get(key)
        const isTyped = plan.result.verdict !== 'checked' && !plan.signature.generic
        return found === undefined || !isTyped ? undefined : (written.get(key) ?? write(key, found, inner))
      },
    })
    return inner
  }
  const write = (key: string, { conversion, definition, tool, from }: SharedConversion, own: TextScope): string => {
    const name = claim('to', definition, tool.names.stem)
    written.set(key, name)
    const types = { from: reachedText(answerOf(tool.plan, tool.names), from), to: definitionType(definition, 'sent') }
    own.functions.set(key, { name, text: functionText(name, types, objectText(conversion, 'value', own)) })
    return name
  }
  return {
    payloadScope,
    resultScope,
    texts: () => scopes.flatMap((functions) => [...functions.values()].map(({ text }) => text)),
  }
}

/** What a checked result is made of is for the codec to decide. */
function madeType({ result }: ToolPlan, type: string): string {
  return result.verdict === 'checked' ? 'unknown' : type
}

/** The type of what a result is made from. */
function answerOf({ unwrapData }: ToolPlan, { answer }: ServiceToolNames): string {
  return unwrapData ? `NonNullable<${answer}>['data']` : answer
}

function reachedText(base: string, { path, guarded }: ReachedType): string {
  return guarded ? typePathText(base, path) : base
}
