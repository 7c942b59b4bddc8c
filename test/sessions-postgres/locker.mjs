// A process that locks the directories that its parent names, and says what became of it.
import { isDirectoryInUseError, lockDirectory } from '@toolgen/runtime/session/postgres'

const locks = new Map()

process.on('message', ({ lock, release }) => {
  if (lock !== undefined) process.send(locked(lock))
  else if (release !== undefined) {
    locks.get(release).release()
    process.send('released')
  } else process.exit()
})

function locked(path) {
  try {
    locks.set(path, lockDirectory(path))
    return 'locked'
  } catch (error) {
    if (!isDirectoryInUseError(error)) throw error
    return { holder: error.holder, message: error.message }
  }
}
