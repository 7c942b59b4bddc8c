import { pointerSegment } from '../schema/json-pointer.js'
import { isFields } from '../schema/json-values.js'

/**
 * What can be wrong with one message, whatever stands around it:
 * - `unreadable`: reading a field throws;
 * - `not_a_message`: no object at all;
 * - `unknown_role`: a role that chat completions do not have, or none;
 * - `missing_call_id`: an answer or a call without an id;
 * - `wrong_field`: a field is missing or has the wrong type;
 * - `other_dialect`: a content part or a call of another interface, or a part of a stream.
 */
export type MessageShapeIssueCode =
  | 'unreadable'
  | 'not_a_message'
  | 'unknown_role'
  | 'missing_call_id'
  | 'wrong_field'
  | 'other_dialect'

/** One thing that is wrong with a message. */
export interface MessageShapeIssue {
  readonly code: MessageShapeIssueCode
  /** A JSON Pointer into the message; `''` is the message itself. */
  readonly path: string
  /** A sentence for people. */
  readonly message: string
}

/** Looks at a value and adds what is wrong with it. `path` is where the value stands. */
export type ShapeRule = (value: unknown, path: string, faults: MessageShapeIssue[]) => void

/** After more faults than this nothing is read any further; a hostile list may be endless. */
export const MAX_FAULTS = 1000

/** A field of its own of an object; what it inherits does not travel with a message. */
export function ownField(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

/** A text. */
export const text: ShapeRule = (value, path, faults) => {
  if (typeof value !== 'string') faults.push(wrong(path, 'must be a text'))
}

/** One of some texts. */
export function oneOf(allowed: readonly string[]): ShapeRule {
  const words = allowed.map((each) => `"${each}"`).join(' or ')
  return (value, path, faults) => {
    if (typeof value !== 'string' || !allowed.includes(value)) faults.push(wrong(path, `must be ${words}`))
  }
}

/** What keeps a rule, or null. */
export function orNull(rule: ShapeRule): ShapeRule {
  return (value, path, faults) => {
    if (value !== null) rule(value, path, faults)
  }
}

/** A list whose items keep a rule. */
export function listOf(rule: ShapeRule): ShapeRule {
  return (value, path, faults) => {
    if (!Array.isArray(value)) {
      faults.push(wrong(path, 'must be a list'))
      return
    }
    for (let index = 0; index < value.length && faults.length <= MAX_FAULTS; index++)
      rule(value[index], `${path}/${index}`, faults)
  }
}

/** A text, or a list whose items keep a rule. */
export function textOrListOf(rule: ShapeRule): ShapeRule {
  const list = listOf(rule)
  return (value, path, faults) => {
    if (typeof value === 'string') return
    if (Array.isArray(value)) list(value, path, faults)
    else faults.push(wrong(path, 'must be a text or a list of parts'))
  }
}

/** The rules of an object's fields. Fields without a rule are let through. */
export interface FieldRules {
  readonly required?: Readonly<Record<string, ShapeRule>>
  readonly optional?: Readonly<Record<string, ShapeRule>>
}

/** An object with rules for some of its fields. */
export function fieldsOf({ required = {}, optional = {} }: FieldRules): ShapeRule {
  const rules = [...entriesOf(required, true), ...entriesOf(optional, false)]
  return (value, path, faults) => {
    if (!isFields(value)) {
      faults.push(wrong(path, 'must be an object'))
      return
    }
    for (const { name, rule, isRequired } of rules) {
      const field = ownField(value, name)
      if (field !== undefined) rule(field, `${path}/${pointerSegment(name)}`, faults)
      else if (isRequired) faults.push(missing(`${path}/${pointerSegment(name)}`, name))
    }
  }
}

/** An object whose field `type` says which rule it keeps; other types belong to other dialects. */
export function byType(what: string, rules: ReadonlyMap<unknown, ShapeRule>): ShapeRule {
  const types = [...rules.keys()].map((each) => `"${each}"`).join(', ')
  return (value, path, faults) => {
    if (!isFields(value)) {
      faults.push(wrong(path, 'must be an object'))
      return
    }
    const rule = rules.get(ownField(value, 'type'))
    if (rule !== undefined) rule(value, path, faults)
    else faults.push({ code: 'other_dialect', path: `${path}/type`, message: `The type of ${what} must be ${types}.` })
  }
}

/** A field that has the wrong type. */
export function wrong(path: string, must: string): MessageShapeIssue {
  return { code: 'wrong_field', path, message: `${path === '' ? 'The message' : path} ${must}.` }
}

function missing(path: string, name: string): MessageShapeIssue {
  const code = name === 'tool_call_id' || name === 'id' ? 'missing_call_id' : 'wrong_field'
  return { code, path, message: `${path} is missing.` }
}

const entriesOf = (rules: Readonly<Record<string, ShapeRule>>, isRequired: boolean) =>
  Object.entries(rules).map(([name, rule]) => ({ name, rule, isRequired }))
