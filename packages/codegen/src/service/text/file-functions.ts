import { type AnswerTransform, type NamedPlan, resultTransform, updateTransform } from './answer-transform.js'
import { type ConversionFunction, functionText, objectText, type TextScope } from './conversion-text.js'
import { conversionKey, type ReachedType, type SharedConversion, sharedConversions } from './shared-conversions.js'
import type { ServiceToolNames } from './tool-names.js'
import { typePathText } from './type-path-text.js'

/** The type that a definition of the toolset has in the executor file: `types.Order`. */
export type DefinitionType = (definition: string, form: 'sent' | 'read') => string

/** The functions of one executor file: those of recursive conversions and those that several tools share. */
export interface FileFunctions {
  readonly payloadScope: (names: ServiceToolNames, helpers: Set<string>) => TextScope
  readonly answerScope: (transform: AnswerTransform, helpers: Set<string>) => TextScope
  /** The texts of all functions that were needed, in the order in which they were first asked for. */
  readonly texts: () => readonly string[]
}

/** The functions of an executor over these tools. */
export function fileFunctions(tools: readonly NamedPlan[], definitionType: DefinitionType): FileFunctions {
  const shared = sharedConversions(tools.flatMap((tool) => [updateTransform(tool) ?? [], resultTransform(tool)].flat()))
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
  const answerScope: FileFunctions['answerScope'] = (transform, helpers) => {
    const inner: TextScope = scope({
      helpers,
      claimName: (definition) => claim('to', definition, transform.stem),
      functionTypes: ({ from, to, definition }) => ({
        from: typePathText(valueType(transform), from),
        to: madeType(
          transform,
          definition === undefined ? typePathText(transform.to, to) : definitionType(definition, 'sent'),
        ),
      }),
      sharedFunction: (conversion) => {
        const key = conversionKey(conversion)
        const found = shared.get(key)
        const isTyped = transform.verdict.verdict !== 'checked' && !transform.generic
        return found === undefined || !isTyped ? undefined : (written.get(key) ?? write(key, found, inner))
      },
    })
    return inner
  }
  const write = (
    key: string,
    { conversion, definition, transform, from }: SharedConversion,
    own: TextScope,
  ): string => {
    const name = claim('to', definition, transform.stem)
    written.set(key, name)
    const types = { from: reachedText(valueType(transform), from), to: definitionType(definition, 'sent') }
    own.functions.set(key, { name, text: functionText(name, types, objectText(conversion, 'value', own)) })
    return name
  }
  return {
    payloadScope,
    answerScope,
    texts: () => scopes.flatMap((functions) => [...functions.values()].map(({ text }) => text)),
  }
}

/** What a checked result is made of is for the codec to decide. */
function madeType({ verdict }: AnswerTransform, type: string): string {
  return verdict.verdict === 'checked' ? 'unknown' : type
}

/** The type of what is converted. */
function valueType({ unwrapData, from }: AnswerTransform): string {
  return unwrapData ? `NonNullable<${from}>['data']` : from
}

function reachedText(base: string, { path, guarded }: ReachedType): string {
  return guarded ? typePathText(base, path) : base
}
