import { shorten } from '../call/value-text.js'
import { isFields } from '../schema/json-values.js'
import type { JsonText, JsonValue } from '../types/json.js'
import { stringLiteral } from './type-reader.js'

export interface ListedCall {
  readonly path: string
  readonly json: JsonText
  readonly isReadOnly: boolean
}

const longestArguments = 80

export function callText(path: string, args: JsonValue, longest: number = Number.POSITIVE_INFINITY): string {
  const isEmpty = isFields(args) && Object.keys(args).length === 0
  return `${path}(${isEmpty ? '' : shorten(literal(args), longest)})`
}

function literal(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'string') return stringLiteral(value)
  if (!isFields(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, field]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name)
    return `${key}: ${literal(field as JsonValue)}`
  })
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

interface Group {
  readonly path: string
  readonly isReadOnly: boolean
  readonly counts: Map<string, number>
}

export function callsText(calls: readonly ListedCall[], space: number): string {
  const groups = new Map<string, Group>()
  for (const { path, json, isReadOnly } of calls) {
    const group = groups.get(path) ?? { path, isReadOnly, counts: new Map() }
    const text = callText(path, JSON.parse(json), longestArguments)
    groups.set(path, group)
    group.counts.set(text, (group.counts.get(text) ?? 0) + 1)
  }
  const texts = new Map([...groups.values()].map((group) => [group, groupText(group)]))
  const length = (): number => [...texts.values()].join(', ').length
  const byLength = [...texts].sort(([, one], [, other]) => other.length - one.length).map(([group]) => group)
  const inOrder = [...byLength.filter(({ isReadOnly }) => isReadOnly), ...byLength.filter((each) => !each.isReadOnly)]
  for (const group of inOrder) {
    if (length() <= space) break
    texts.set(group, shortText(group))
  }
  return withinSpace([...texts.values()], space)
}

const groupText = ({ counts }: Group): string => [...counts].map(([text, count]) => times(count, text)).join(', ')

function shortText({ path, counts }: Group): string {
  const count = [...counts.values()].reduce((sum, each) => sum + each, 0)
  return times(count, path)
}

const times = (count: number, text: string): string => (count === 1 ? text : `${count} times ${text}`)

function withinSpace(texts: readonly string[], space: number): string {
  const all = texts.join(', ')
  if (all.length <= space) return all
  const end = ` and ${texts.length} more functions`.length
  let shown = 0
  for (let length = 0; shown < texts.length; shown += 1) {
    length += (texts[shown]?.length ?? 0) + 2
    if (length + end > space) break
  }
  const rest = texts.length - shown
  return `${texts.slice(0, shown).join(', ')} and ${rest} more ${rest === 1 ? 'function' : 'functions'}`
}
