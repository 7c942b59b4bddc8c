import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a folder for a database, gives its path to some work and removes it whatever came of that. */
export async function inNewFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolgen-sessions-')))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
