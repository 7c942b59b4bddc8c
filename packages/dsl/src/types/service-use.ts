import type { Json } from '../values.js'
import type { MethodPath, WithoutMethod } from './method.js'
import type { InputOf } from './schema.js'
import type { NoSuchTool, Offered, UseOptions } from './use.js'

/** What the checker shows where the client has no method of a tool's name and the use names none. */
export interface NameTheMethodOf<Tool extends string> {
  readonly tools: { readonly [Name in Tool]: { readonly method: unknown } }
}

/** {@link NameTheMethodOf} for a use without options. */
export interface NoMethodNamed<Tool extends string> {
  readonly '~error': 'no such method on the client: name one in the options, `tools: { TOOL: { method } }`'
  readonly methods: Tool
}

/** How one tool reaches the client. */
export interface ServiceToolOptions<Payload, Method> {
  /**
   * The client's method: a name such as `fetchOrder`, or a path of up to three names such as `customers.retrieve`.
   * Default: the method of the tool's own name.
   */
  readonly method?: Method
  /** Payload field → method field or parameter, where the names differ. */
  readonly rename?: { readonly [Field in FieldsOfAnyVariant<InputOf<Payload>>]?: string }
  /** Method field or parameter → constant that is always sent. */
  readonly constants?: Readonly<Record<string, Json>>
  /** How the method's answer becomes the tool's result. Default: the answer itself, and its declared type must fit. */
  readonly result?: ServiceResultOptions
  /**
   * What the result of a streaming tool is made of, where its method answers with an async iterable: the `list` of all
   * items or the `last` one. Each item is an update as well. Default: `list`.
   */
  readonly collect?: 'list' | 'last'
}

/**
 * How a method's answer becomes the tool's result.
 *
 * @example
 * fromService(orders, client, { tools: { getOrder: { method: 'fetchOrder', result: { from: 'data', checked: true } } } })
 */
export interface ServiceResultOptions {
  /** `data`: the result is made from the answer's `.data`. Default: from the answer itself. */
  readonly from?: 'data'
  /**
   * `true` validates the answer when the tool runs, where its declared type is wider than the tool's result or its
   * updates; one that does not fit fails as `malformed_result`. Default: `false`, the declared type must fit.
   */
  readonly checked?: boolean
}

type FieldsOfAnyVariant<T> = T extends object ? keyof T & string : never

/**
 * How a toolset is used through a client. `Selected`, `Renamed` and `Methods` are inferred from what is written; a name
 * that is no tool is an error also beside right ones.
 */
export type ServiceUseOptions<Tools, Client, Selected extends string, Renamed extends string, Methods> = UseOptions<
  Selected,
  Renamed
> & {
  /** Tool → how it reaches the client. */
  readonly tools?: {
    readonly [Tool in keyof Methods]: Tool extends Selected
      ? ServiceToolOptions<PayloadOfTool<Tools, Tool>, MethodOf<Client, Methods[Tool]>>
      : string & NoSuchTool<Tool, Selected>
  } & Offered<NoInfer<Selected>>
} & DemandFor<WithoutMethod<Client, NoInfer<Selected>>, NameTheMethodOf<WithoutMethod<Client, NoInfer<Selected>>>>

/** `Demand` where there is one of the given names, else nothing. */
export type DemandFor<Names, Demand> = [Names] extends [never] ? unknown : Demand

type PayloadOfTool<Tools, Tool> = Tool extends keyof Tools
  ? Tools[Tool] extends { readonly payload: infer Payload }
    ? Payload
    : unknown
  : unknown

type MethodOf<Client, Method> = Method extends string ? MethodPath<Client, Method> : string
