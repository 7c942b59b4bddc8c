import type { Answers, PendingAnswer, PendingCall, RunSuspension } from '../../packages/runtime/src/agents.js'
import type { Random } from '../codec/differential/random.js'
import { replyTo, type World } from './world.js'

/** Answers to some pending calls of a suspension, and the answered calls of the scenario. */
export interface GivenOut {
  readonly answers: Answers
  readonly answered: readonly { readonly pending: PendingCall; readonly answer: PendingAnswer }[]
}

/** Returns answers to a random part of the pending calls, in random order. */
export function someAnswers(random: Random, world: World, suspension: RunSuspension): GivenOut {
  const { pending } = suspension
  if (suspension.kind === 'clarification' && (pending.length === 0 || (pending.length === 1 && random.chance(0.5)))) {
    const text = replyTo(suspension.question)
    const answered = pending.map((each) => ({ pending: each, answer: { text } }))
    return { answers: random.chance(0.5) || pending.length > 0 ? text : asObject([['text', text]]), answered }
  }
  const order = shuffled(random, pending)
  const some = order.slice(0, random.chance(0.4) ? order.length : 1 + random.below(order.length))
  const answered = some.map((each) => ({ pending: each, answer: answerTo(world, each) }))
  return { answers: asObject(answered.map(({ pending: { id }, answer }) => [id, answer])), answered }
}

/** Returns the id of the pending call in the scenario, or `undefined` for a question of an agent. */
export function plannedId({ kind, arguments: sent }: PendingCall): string | undefined {
  return kind === 'clarification' ? undefined : JSON.parse(sent).id
}

function answerTo(world: World, pending: PendingCall): PendingAnswer {
  const id = plannedId(pending)
  return id === undefined ? { text: replyTo(pending.prompt ?? '') } : world.call(id).answer
}

/** Ids can be any text, including `__proto__`. */
function asObject(answers: readonly (readonly [string, any])[]): any {
  return Object.fromEntries(answers)
}

function shuffled<Item>(random: Random, items: readonly Item[]): readonly Item[] {
  const left = [...items]
  return items.flatMap(() => left.splice(random.below(left.length), 1))
}
