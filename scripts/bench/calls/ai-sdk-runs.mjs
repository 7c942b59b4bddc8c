import { z } from 'zod'
import { fakeModel } from './fake-model.mjs'
import { scripted } from './script.mjs'
import { texts } from './stock.mjs'

/** Returns the functions of a contestant that uses a version of the AI SDK. */
export function aiSdkRuns({ generateText, stepCountIs, tool }, instructionsOption) {
  return {
    prepare({ service, kind }) {
      const callsIn = scripted(kind)
      const tools = {
        [texts.tool]: tool({
          description: texts.description,
          inputSchema: z.object({ sku: z.string().min(1) }),
          execute: async ({ sku }) => service.stockLevel(sku),
        }),
      }
      return () =>
        generateText({
          model: fakeModel(callsIn, ({ value }) => value),
          tools,
          [instructionsOption]: texts.instructions,
          prompt: texts.question,
          stopWhen: stepCountIs(kind.calls + 10),
        })
    },
    textOf: ({ text }) => text,
    messagesOf: (result) => [{ role: 'user', content: texts.question }, ...responseMessages(result)],
    resultsOf: (result) =>
      responseMessages(result)
        .filter(({ role }) => role === 'tool')
        .flatMap(({ content }) => content.map(({ output }) => output.value)),
  }
}

/** In version 7, `responseMessages` contains all messages of the run, and `response` only those of the last step. */
const responseMessages = ({ responseMessages: all, response }) => all ?? response.messages
