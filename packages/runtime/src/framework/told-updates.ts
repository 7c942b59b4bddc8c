import type { JsonText, JsonValue } from '../contract/json.js'

/**
 * The updates of a call as they come, then what it returns. The call goes on whether or not somebody reads on: its signal
 * ends it.
 *
 * @param begin begins the call; never rejects
 */
export async function* toldUpdates<Answer extends object>(
  begin: (onUpdate: (update: JsonText) => void) => Promise<Answer>,
): AsyncGenerator<JsonValue, Answer, undefined> {
  const waiting: JsonValue[] = []
  const ended: Answer[] = []
  let wake = (): void => undefined
  const tell = (): void => wake()
  let isRead = true
  void begin((update) => {
    // Behind the answer of a session, or when the reader has gone, nobody reads on.
    if (!isRead || ended.length > 0) return
    waiting.push(JSON.parse(update))
    tell()
  }).then((answer) => {
    ended.push(answer)
    tell()
  })
  try {
    for (;;) {
      yield* waiting.splice(0)
      if (waiting.length > 0) continue
      const [answer] = ended
      if (answer !== undefined) return answer
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    isRead = false
  }
}
