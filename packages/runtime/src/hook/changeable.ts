import { isConversation } from '../chat/is-conversation.js'
import { isFields } from '../codec/json/kind.js'
import type { HookPhase } from '../contract/hook.js'

/** What a change should have been; `undefined` where it is that. */
type Check = (change: unknown, context: object) => string | undefined

const anything: Check = () => undefined
const text: Check = (change) => (typeof change === 'string' ? undefined : 'a text')
const fields: Check = (change) => (isFields(change) ? undefined : 'an object')
const messages: Check = (change) => (isConversation(change) ? undefined : 'a list of chat messages')
const runStart: Check = (change) =>
  typeof change === 'number' && Number.isInteger(change) && change >= 0 ? undefined : 'a number of messages'
const selection: Check = (change, context) => {
  const offered: unknown = 'tools' in context ? context.tools : undefined
  if (Array.isArray(change) && Array.isArray(offered) && change.every((tool) => offered.includes(tool)))
    return undefined
  return 'a selection of the tools that it was told'
}
const runResult: Check = (change) => {
  if (isFields(change)) {
    const { text: words, value } = change
    const isText = words === undefined || typeof words === 'string'
    if (isText && (value === undefined ? words !== undefined : JSON.stringify(value) !== undefined)) return undefined
  }
  return 'a result with a `text`, a `value` that JSON can say, or both'
}

/** The fields that hooks of a phase may change, in the order in which the phases come. */
export const CHANGEABLE: Readonly<Record<HookPhase, Readonly<Record<string, Check>>>> = {
  beforeRun: { messages, fields },
  beforeStep: { messages, tools: selection, fields, stop: text },
  beforeModel: { messages, tools: selection, runStart, fields },
  afterModel: { text, stop: text },
  beforeTool: { arguments: text, deny: text },
  afterTool: { result: anything, fail: anything },
  afterStep: { messages, stop: text },
  afterRun: { result: runResult },
  onStop: {},
  onError: {},
}
