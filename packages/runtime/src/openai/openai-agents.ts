import { OpenAI } from 'openai'
import type { AgentBuilder } from '../agent/builder/agent-builder.js'
import { base as plainBase, standard as plainStandard } from '../agent/builder/standard.js'
import type { ModelDriver } from '../contract/model-driver.js'
import { openAiDriver } from './openai-driver.js'
import type { OpenAiDriverOptions } from './openai-options.js'

/** Options of the driver whose client may be left out: it is then `new OpenAI()`, which reads its key from the environment. */
export interface OpenAiModelOptions extends Omit<OpenAiDriverOptions, 'client'> {
  readonly client?: OpenAI
}

/**
 * A builder without opinions over a model of OpenAI's chat completions.
 *
 * @example
 * const agent = base({ model: 'gpt-5.2', temperature: 0 }).with(useTools(toolset('local', weather))).build()
 */
export function base(model: OpenAiModelOptions | ModelDriver): AgentBuilder {
  return plainBase(driverOf(model))
}

/**
 * A builder with the standard guards over a model of OpenAI's chat completions.
 *
 * @example
 * const agent = standard({ model: 'gpt-5.2' }).build()
 */
export function standard(model: OpenAiModelOptions | ModelDriver): AgentBuilder {
  return plainStandard(driverOf(model))
}

function driverOf(model: OpenAiModelOptions | ModelDriver): ModelDriver {
  return 'ask' in model ? model : openAiDriver({ ...model, client: model.client ?? new OpenAI() })
}
