import type { GoogleGenAI } from '@google/genai'
import type { GeminiDriverOptions } from './gemini-driver.js'

declare const client: GoogleGenAI

export const forms: readonly GeminiDriverOptions[] = [
  { model: 'gemini-3.8-flash' },
  { client, model: 'gemini-3.8-flash', temperature: 0, thinkingConfig: { includeThoughts: true } },
  { model: 'gemini-3.8-flash', stream: true, onDelta: ({ text }, { runId }) => void [text.length, runId.length] },
  // @ts-expect-error a model has a name
  { client },
  // @ts-expect-error the tools are those of the agent
  { model: 'gemini-3.8-flash', tools: [] },
  // @ts-expect-error the instructions are those of the agent
  { model: 'gemini-3.8-flash', systemInstruction: 'Be brief.' },
  // @ts-expect-error the run is cancelled by its own signal
  { model: 'gemini-3.8-flash', abortSignal: new AbortController().signal },
]
