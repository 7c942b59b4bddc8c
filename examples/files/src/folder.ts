import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder with two invoices, and removes the folder after `work`, even if `work` throws. */
export async function inNewFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolgen-files-')))
  try {
    await writeFile(join(folder, 'desk.txt'), 'Standing desk\n449.00')
    await writeFile(join(folder, 'lamps.txt'), 'Two desk lamps\n79.80')
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
