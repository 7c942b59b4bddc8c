// A process that locks the directories that its parent names, and says what became of it.
import { isToolgenError } from '@toolgen/runtime'
import { lockDirectory } from '@toolgen/runtime/postgres'

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
    if (!isToolgenError(error, 'DirectoryInUseError')) throw error
    return { holder: error.holder, message: error.message }
  }
}
