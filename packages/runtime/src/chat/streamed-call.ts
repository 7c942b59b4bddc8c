import { isFields } from '../codec/json/kind.js'
import type { ChatToolCall } from '../contract/chat-message.js'
import { JoinedFields } from './joined-fields.js'
import { ownField } from './shape-rule.js'

const knownOfCall = new Set(['index', 'id', 'type', 'function', 'custom'])
const knownOfBody = new Set(['name', 'arguments', 'input'])

/** A field of a part that is no text where one belongs. */
export type TellWrong = (path: string, must: string) => void

/** The text of a field; null and absent are none. */
export function textField(part: object, name: string, path: string, tellWrong: TellWrong): string | undefined {
  const value = ownField(part, name)
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  tellWrong(`${path}/${name}`, 'must be a text')
  return undefined
}

/** One call of a streamed message, put together part by part. */
export class StreamedCall {
  /** Where it stands among the calls. */
  readonly index: number
  #id = ''
  #name = ''
  #text = ''
  #isCustom = false
  readonly #fields = new JoinedFields()
  readonly #bodyFields = new JoinedFields()

  constructor(index: number) {
    this.index = index
  }

  get id(): string {
    return this.#id
  }

  get name(): string {
    return this.#name
  }

  /** Takes in a part. The first id counts, since some servers make up a new one for each part; the latest name does. */
  add(part: object, path: string, tellWrong: TellWrong): void {
    this.#id ||= textField(part, 'id', path, tellWrong) ?? ''
    this.#isCustom ||= ownField(part, 'type') === 'custom'
    this.#fields.add(part, knownOfCall)
    const key = isFields(ownField(part, 'custom')) ? 'custom' : 'function'
    this.#isCustom ||= key === 'custom'
    const body = ownField(part, key)
    if (body === undefined || body === null) return
    if (!isFields(body)) {
      tellWrong(`${path}/${key}`, 'must be an object')
      return
    }
    this.#name = textField(body, 'name', `${path}/${key}`, tellWrong) || this.#name
    this.#text += textField(body, key === 'custom' ? 'input' : 'arguments', `${path}/${key}`, tellWrong) ?? ''
    this.#bodyFields.add(body, knownOfBody)
  }

  /** The call as far as it was received. */
  call(): ChatToolCall {
    const fields = Object.fromEntries(this.#fields.entries())
    const bodyFields = Object.fromEntries(this.#bodyFields.entries())
    return this.#isCustom
      ? { id: this.#id, type: 'custom', custom: { name: this.#name, input: this.#text, ...bodyFields }, ...fields }
      : {
          id: this.#id,
          type: 'function',
          function: { name: this.#name, arguments: this.#text, ...bodyFields },
          ...fields,
        }
  }
}

/** The name of the function or tool that a part speaks of; empty where it does not say. */
export function nameOfPart(part: object): string {
  for (const key of ['function', 'custom']) {
    const body = ownField(part, key)
    const name = isFields(body) ? ownField(body, 'name') : undefined
    if (typeof name === 'string' && name !== '') return name
  }
  return ''
}
