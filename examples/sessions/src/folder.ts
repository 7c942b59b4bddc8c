import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder for a database, and removes the folder after `work`, even if `work` throws. */
export async function inNewFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolgen-sessions-')))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
