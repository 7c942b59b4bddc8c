/** The fields of a value whose texts are words of a format, so that they may not be redacted; a list has those of its items. */
export interface FormatWords {
  /** `true`: all that is in the field. */
  readonly [field: string]: true | FormatWords
}

const MESSAGE: FormatWords = {
  role: true,
  tool_call_id: true,
  tool_calls: { id: true, type: true, function: { name: true }, custom: { name: true } },
  content: { type: true },
}

const SUSPENSION: FormatWords = {
  kind: true,
  call: true,
  nested: {
    id: true,
    runId: true,
    agent: true,
    kind: true,
    messages: MESSAGE,
    calls: { tool: true, toolCallId: true, parentToolCallId: true, chatId: true, wireName: true },
    pending: { id: true, kind: true, agent: true, call: true },
    fields: { tool: true, path: true },
    progress: {
      stops: { reason: true },
      get outcomes() {
        return { call: true, ...OUTCOME } as const
      },
    },
  },
}

/** Those of what became of a call. */
export const OUTCOME: FormatWords = {
  status: true,
  provenance: { tool: true, model: true, service: true, children: true },
  stop: { reason: true },
  error: { reason: true },
  hint: {
    reason: true,
    action: true,
    tool: true,
    near: true,
    missing: { path: true },
    issues: { path: true, constraint: true },
  },
  suspension: SUSPENSION,
}

/** Those of what a model is asked. */
export const REQUEST: FormatWords = { messages: MESSAGE, tools: true, answer: true }

/** Those of what a model answers. */
export const ANSWER: FormatWords = {
  message: MESSAGE,
  calls: { tool: true, toolCallId: true },
  finishReason: true,
  model: true,
}

/** Those of an error of a model. */
export const ERROR: FormatWords = { reason: true }
