import { hasFields, isAnything, isDictionaryOf, isFlag, isMade, isName, isOneOf } from './check/checks.js'
import { fault, quoted } from './check/fault.js'
import {
  checkedFields,
  type FieldCheck,
  type FieldChecks,
  frozenDictionary,
  frozenNames,
  plainCopy,
} from './check/fields.js'
import { frozenJson } from './check/frozen-json.js'
import type { Toolset } from './toolset.js'
import type { WithoutMethod } from './types/method.js'
import type { DemandFor, NoMethodNamed, ServiceToolOptions, ServiceUseOptions } from './types/service-use.js'
import { frozenUseParts, usePartChecks } from './use-parts.js'
import type {
  Json,
  SchemaValue,
  ServiceClient,
  ServiceToolValue,
  ServiceUseValue,
  ToolsetValue,
  ToolValue,
} from './values.js'

type Tools = Readonly<Record<string, ToolValue>>

const resultChecks: FieldChecks = { required: {}, optional: { from: isOneOf(['data']), checked: isFlag } }

/** Options of a result; a name alone would leave no place for the other option. */
const isResult: FieldCheck = (value, where) => {
  if (typeof value === 'string') {
    const next = 'Write { from: "data" }, { checked: true } or both in one object'
    throw fault(where, `expected an object, got ${quoted(value)}`, next)
  }
  hasFields(resultChecks)(value, where)
}

const toolChecks: FieldChecks = {
  required: {},
  optional: {
    method: isName,
    rename: isDictionaryOf(isName),
    constants: isDictionaryOf(isAnything),
    result: isResult,
    collect: isOneOf(['list', 'last']),
  },
}

const useChecks: FieldChecks = {
  required: {},
  optional: { ...usePartChecks, tools: isDictionaryOf(hasFields(toolChecks)) },
}

/**
 * Gives a toolset to an agent, served by a service client. A tool calls the client's method of the same name unless
 * `tools` names another; `only` selects tools and `rename` changes the names that this agent's model sees. Throws a
 * TypeError when an argument is evidently wrong.
 *
 * @example
 * fromService(orders, ordersClient, { tools: { getOrder: { method: 'fetchOrder' } } })
 */
export function fromService<Used extends Tools, Client>(
  toolset: Toolset<Used>,
  client: ServiceClient<Client> &
    DemandFor<WithoutMethod<Client, keyof Used & string>, NoMethodNamed<WithoutMethod<Client, keyof Used & string>>>,
): ServiceUseValue
export function fromService<
  Used extends Tools,
  Client,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
  const Methods = Record<never, never>,
>(
  toolset: Toolset<Used>,
  client: ServiceClient<Client>,
  options: ServiceUseOptions<Used, Client, Selected, Renamed, Methods>,
): ServiceUseValue
export function fromService(
  toolset: ToolsetValue,
  client: ServiceClient<unknown>,
  options: ServiceUseOptions<Tools, unknown, string, string, Readonly<Record<string, string>>> = {},
): ServiceUseValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'fromService: first argument')
  const where = `fromService(${quoted(toolset.name)})`
  isMade('client', 'Pass an exported serviceClient<Client>()')(client, `${where}: second argument`)
  const { tools, ...parts } = checkedFields(options, useChecks, where)
  return Object.freeze<ServiceUseValue>({
    '~toolgen': 'use',
    provider: 'service',
    toolset,
    client,
    ...frozenUseParts(parts, where),
    ...(tools && { tools: frozenTools(tools, `${where}: tools`) }),
  })
}

type ToolOptions = ServiceToolOptions<SchemaValue, string>

function frozenTools(
  tools: Readonly<Record<string, ToolOptions>>,
  where: string,
): Readonly<Record<string, ServiceToolValue>> {
  const entries = Object.entries(plainCopy(tools, where)).map(([tool, options]): [string, ServiceToolValue] => [
    tool,
    frozenTool(options, `${where}[${quoted(tool)}]`),
  ])
  return frozenDictionary(Object.fromEntries(entries), where)
}

function frozenTool(options: ToolOptions, where: string): ServiceToolValue {
  const { rename, constants, result, ...texts } = plainCopy(options, where)
  return Object.freeze<ServiceToolValue>({
    ...texts,
    ...(result && { result: Object.freeze(plainCopy(result, `${where}.result`)) }),
    ...(rename && { rename: frozenNames(rename, `${where}.rename`) }),
    ...(constants && { constants: frozenConstants(constants, `${where}.constants`) }),
  })
}

function frozenConstants(constants: Readonly<Record<string, Json>>, where: string): Readonly<Record<string, Json>> {
  const copies = Object.entries(plainCopy(constants, where)).map(([name, value]): [string, Json] => [
    name,
    frozenJson(value, `${where}[${quoted(name)}]`),
  ])
  return frozenDictionary(Object.fromEntries(copies), where)
}
