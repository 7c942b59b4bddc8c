import { forked } from '../codec/forked.mjs'
import { againstOthers } from './run-rows.mjs'
import { contestantFiles, contestantNames } from './runs.mjs'

const program = new URL('./kept-process.mjs', import.meta.url).href

/** What an application may keep of a run of ten turns. */
const keptParts = {
  'ten-turn run kept, its messages': 'messages',
  'ten-turn run kept, whole': 'whole',
}

/** The rows of the memory that a kept run takes. */
export async function keptRows() {
  const names = await contestantNames()
  const rows = []
  for (const [title, part] of Object.entries(keptParts)) {
    const kept = []
    for (const [index, file] of contestantFiles.entries()) {
      kept.push({ name: names[index], value: (await keptBytes(file, part)) / 1024 })
    }
    rows.push(...againstOthers(kept, { case: title, unit: 'KiB', aim: '< 10 KiB' }))
  }
  return rows
}

async function keptBytes(file, part) {
  const process = forked(program, [file, part])
  try {
    const { bytes } = await process.answer()
    return bytes
  } finally {
    process.stop()
  }
}
