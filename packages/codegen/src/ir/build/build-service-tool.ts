import type { ServiceUseValue } from '@toolgen/dsl'
import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import { isObject, own } from '../../schema/json/json.js'
import { toJson } from '../../schema/json/to-json.js'
import { notJson } from '../rules/not-json.js'
import type { BindingPlaces, ServiceToolIr, UsedToolIr } from '../types.js'

/** Places within one use of an agent. */
export interface UsePlaces {
  readonly of: (...path: readonly (string | number)[]) => SourcePlace
  readonly ofValue: (...path: readonly (string | number)[]) => SourcePlace
}

/** Builds how a tool of a use reaches its client. */
export function buildServiceTool(
  use: ServiceUseValue,
  { tool: name, wireName }: Omit<UsedToolIr, 'place'>,
  places: UsePlaces,
): { readonly tool: ServiceToolIr; readonly diagnostics: readonly Diagnostic[] } {
  const said = own(use.tools ?? {}, name)
  const binding = said ?? {}
  const diagnostics: Diagnostic[] = []
  const constants = toJson(binding.constants ?? {})
  if (!constants.ok) diagnostics.push(notJson('constants', constants.message, places.of('tools', name, 'constants')))
  return {
    tool: {
      tool: name,
      method: binding.method ?? name,
      rename: Object.fromEntries(Object.entries(binding.rename ?? {})),
      constants: constants.ok && isObject(constants.json) ? constants.json : {},
      result: {
        ...(binding.result?.from === undefined ? {} : { from: binding.result.from }),
        checked: binding.result?.checked ?? false,
      },
      ...(binding.collect === undefined ? {} : { collect: binding.collect }),
      place: said === undefined ? places.of() : places.of('tools', name),
      ...(said === undefined ? {} : { parts: bindingPlaces(name, said, places) }),
      wireName,
    },
    diagnostics,
  }
}

function bindingPlaces(
  tool: string,
  { method, collect, rename = {}, constants = {} }: NonNullable<ServiceUseValue['tools']>[string],
  { of, ofValue }: UsePlaces,
): BindingPlaces {
  const entries = (field: 'rename' | 'constants', names: readonly string[]): BindingPlaces['rename'] =>
    Object.fromEntries(
      names.map((name) => [name, { name: of('tools', tool, field, name), value: ofValue('tools', tool, field, name) }]),
    )
  return {
    ...(method === undefined ? {} : { method: ofValue('tools', tool, 'method') }),
    ...(collect === undefined ? {} : { collect: ofValue('tools', tool, 'collect') }),
    rename: entries('rename', Object.keys(rename)),
    constants: entries('constants', Object.keys(constants)),
  }
}
