import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { comeBack, findResults, leaveEarly, type Scene } from './acts.js'
import { withApplication } from './application-process.js'
import { inNewFolder } from './folder.js'
import { namingCalls, type Print } from './print.js'
import type { Connection } from './user.js'

/** Settings of the demonstration. */
export interface DemoSetting {
  readonly print: Print
  readonly env: NodeJS.ProcessEnv
  /** Ends the demonstration and all processes that it has started. */
  readonly signal: AbortSignal
}

/** Plays two users of an application. The application is stopped once and killed once. */
export async function demo({ print, env, signal }: DemoSetting): Promise<void> {
  print(`Sessions are kept in ${env.DATABASE_URL === undefined ? 'an embedded PGlite database' : 'PostgreSQL'}.`)
  const say = namingCalls(print)
  // A database at `DATABASE_URL` can contain sessions of earlier runs.
  const session = randomUUID()
  await inNewFolder(async (folder) => {
    const play = <Result>(act: (scene: Scene) => Promise<Result>): Promise<Result> =>
      withApplication({ ...env, SESSIONS_DIRECTORY: join(folder, 'sessions') }, signal, (application) => {
        const as = (user: string): Connection => ({ url: `${application.url}/sessions/${session}`, user, signal })
        return act({ application, anna: as('anna'), ben: as('ben'), say })
      })
    const seen = await play(leaveEarly)
    await play((scene) => comeBack(scene, seen))
    await play(findResults)
  })
}
