import type { ChatAssistantMessage } from '../contract/chat-message.js'

/** What a model says in a message: its text, the parts one after the other; empty where it says nothing. */
export function spokenText({ content }: ChatAssistantMessage): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** By which words a model refuses; `undefined` where it does not. */
export function refusalText({ content, refusal }: ChatAssistantMessage): string | undefined {
  if (typeof refusal === 'string' && refusal !== '') return refusal
  if (!Array.isArray(content)) return undefined
  const parts = content.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []))
  return parts.length === 0 ? undefined : parts.join('')
}
