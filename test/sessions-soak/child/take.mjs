/** Takes from a session: tells before what there is to take, in the same turn, and afterwards what was taken. */
export async function take(session, onlyCompleted, tell) {
  const there = session.poll()
  const ended = new Set(there.filter(({ kind }) => kind === 'completed').map(({ callId }) => callId))
  const meant = onlyCompleted ? there.filter(({ callId }) => ended.has(callId)) : there
  if (meant.length === 0) return
  tell('taking', { entries: meant.map(({ toolCallId, index = 0 }) => ({ key: toolCallId, index })) })
  try {
    const taken = onlyCompleted ? (await session.consumeCompleted()).flatMap(entriesOf) : await session.consume()
    tell('taken', { entries: taken })
  } catch (error) {
    if (!isToolgenError(error, 'SessionError')) throw error
    tell('left', { code: error.code })
  }
}

const entriesOf = ({ updates, completion }) => [...updates, completion]
