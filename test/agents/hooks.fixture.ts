import {
  type AgentBuilder,
  type AgentRun,
  base,
  type Hook,
  type HookPhase,
  useHook,
} from '../../packages/runtime/src/agents.js'
import type { ChatMessage } from '../../packages/runtime/src/chat.js'
import { says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { bound, looksUp } from './agents.fixture.js'

/** A message that hooks add. */
export const note: ChatMessage = { role: 'user', content: 'A note.' }
/** Every phase. */
export const phases: readonly HookPhase[] = [
  'beforeRun',
  'afterRun',
  'beforeStep',
  'afterStep',
  'beforeModel',
  'afterModel',
  'beforeTool',
  'afterTool',
  'onStop',
  'onError',
]

/** An agent whose model looks up an order, then says that it is done. */
export function lookingUp(): { readonly model: ReturnType<typeof scriptedModel>; readonly builder: AgentBuilder } {
  const model = scriptedModel([looksUp, says('Done.')])
  return { model, builder: base(model) }
}

/** A run of an agent with one hook more. */
export function runWith<Name extends HookPhase>(
  phase: Name,
  hook: Hook<Name>,
  builder = lookingUp().builder,
): PromiseLike<AgentRun> {
  return bound(builder.with(useHook(phase, hook, { name: 'mine' })).build()).run('?')
}
