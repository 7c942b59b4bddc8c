import type { ModelDriver } from '@toolgen/runtime/agents'
import { openAiDriver } from '@toolgen/runtime/openai'
import OpenAI from 'openai'

/** Environment variables that name a model. Empty variables are ignored. */
export interface ModelEnv {
  readonly OPENAI_API_KEY?: string | undefined
  /** URL of a server with the chat completions API, for example `http://localhost:11434/v1`. */
  readonly OPENAI_BASE_URL?: string | undefined
  /** Default: `gpt-5.2`. */
  readonly OPENAI_MODEL?: string | undefined
}

/** Returns the driver of the model that the environment names. Returns `undefined` if neither a key nor a server is set. */
export function modelOf({ OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL }: ModelEnv): ModelDriver | undefined {
  if (!OPENAI_API_KEY && !OPENAI_BASE_URL) return undefined
  // A local server needs no key, but the client requires one.
  const client = new OpenAI({ apiKey: OPENAI_API_KEY || 'none', baseURL: OPENAI_BASE_URL || null })
  return openAiDriver({ client, model: OPENAI_MODEL || 'gpt-5.2' })
}
