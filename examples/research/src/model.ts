import type { ModelDriver } from '@toolgen/runtime/agents'
import { openAiDriver } from '@toolgen/runtime/openai'
import OpenAI from 'openai'

/** Which model to ask, as the variables of the environment say; an empty one counts as absent. */
export interface ModelEnv {
  readonly OPENAI_API_KEY?: string | undefined
  /** Of any server that speaks chat completions, e.g. `http://localhost:11434/v1`. */
  readonly OPENAI_BASE_URL?: string | undefined
  /** Default: `gpt-5.2`. */
  readonly OPENAI_MODEL?: string | undefined
}

/** The driver of the model that the environment names; `undefined` where it names neither key nor server. */
export function modelOf({ OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL }: ModelEnv): ModelDriver | undefined {
  if (!OPENAI_API_KEY && !OPENAI_BASE_URL) return undefined
  // Servers at home want no key, and the client wants one.
  const client = new OpenAI({ apiKey: OPENAI_API_KEY || 'none', baseURL: OPENAI_BASE_URL || null })
  return openAiDriver({ client, model: OPENAI_MODEL || 'gpt-5.2' })
}
