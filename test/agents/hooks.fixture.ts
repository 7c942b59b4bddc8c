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

/** Message that hooks add. */
export const note: ChatMessage = { role: 'user', content: 'A note.' }
/** All phases of hooks. */
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

/** Returns an agent whose model looks up an order and then answers. */
export function lookingUp(): { readonly model: ReturnType<typeof scriptedModel>; readonly builder: AgentBuilder } {
  const model = scriptedModel([looksUp, says('Done.')])
  return { model, builder: base(model) }
}

/** Runs an agent with one more hook. */
export function runWith<Name extends HookPhase>(
  phase: Name,
  hook: Hook<Name>,
  builder = lookingUp().builder,
): PromiseLike<AgentRun> {
  return bound(builder.with(useHook(phase, hook, { name: 'mine' })).build()).run('?')
}
