import { answers, calls, type ScriptedResponse, says } from '@toolgen/runtime/testing'
import { newAskMakerCall, newFetchNoteCall, newSearchNotesCall } from '../gen/toolsets/archive/index.js'
import { newInvestigateCall } from '../gen/toolsets/investigation/index.js'
import { newGetOrderCall, newSendPartCall } from '../gen/toolsets/orders/index.js'

/** Question of the customer. */
export const QUESTION = 'The desk lamp of my order A-1001 flickers when I dim it. What can I do?'

/** Responses of a scripted model for both agents. The cassette contains them unless a real model was recorded. */
export const SCRIPT: readonly ScriptedResponse[] = [
  { ...calls(newGetOrderCall({ orderId: 'A-1001' })), ...cost(310, 18) },
  { ...calls(newInvestigateCall({ sku: 'LAMP-1', problem: 'It flickers when it is dimmed.' })), ...cost(390, 31) },
  { ...calls(newSearchNotesCall({ sku: 'LAMP-1', words: ['flicker', 'dimmer'] })), ...cost(420, 27) },
  { ...calls(newFetchNoteCall({ noteId: 'N-12' }), newFetchNoteCall({ noteId: 'N-31' })), ...cost(510, 38) },
  {
    ...calls(newAskMakerCall({ sku: 'LAMP-1', question: 'Which part of the lamps of October 2026 is faulty?' })),
    ...cost(640, 29),
  },
  {
    ...answers({
      cause: 'The driver of the lamps of October 2026 is faulty.',
      remedy: 'Replace the driver with DRIVER-2, which plugs in without tools.',
      part: 'DRIVER-2',
      sources: ['N-31', 'M-1'],
    }),
    ...cost(720, 64),
  },
  { ...calls(newSendPartCall({ orderId: 'A-1001', part: 'DRIVER-2' })), ...cost(520, 26) },
  {
    ...says(
      'I am sorry: lamps of that month have a faulty driver. A new one is on its way and arrives on 24 November; it plugs in without tools.',
    ),
    ...cost(590, 41),
  },
]

function cost(promptTokens: number, completionTokens: number): Pick<ScriptedResponse, 'usage'> {
  return { usage: { promptTokens, completionTokens } }
}
