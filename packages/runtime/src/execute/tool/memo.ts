/** A computation that is started by the first who asks and whose answer all share, also when it fails. */
export function memo<Value>(compute: () => Promise<Value>): () => Promise<Value> {
  let answer: Promise<Value> | undefined
  return () => {
    if (answer === undefined) {
      answer = compute()
      // Who asks hears of a failure; one who asked and no longer waits must not bring the process down.
      answer.catch(() => undefined)
    }
    return answer
  }
}
