// Searches the queries of one corpus with one contestant, in its own process. Sends the names that it found, the CPU time of the first search
// and of each later search in milliseconds, and the memory of the index in KiB. The last argument is a file with a generated search index.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { corpora, dataFolder } from './corpora.mjs'

const [contestant, corpus, scale, indexFile] = process.argv.slice(2)
const { searchOver } = await import(`./contestants/${contestant}.mjs`)
const { tools, queries } = corpora[corpus](dataFolder())
const texts = queries.map(({ text }) => text)
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const search = searchOver(tools, indexFile)
const before = usedBytes()
const first = await cpuMs(() => search(texts.slice(0, 1), 5))
const index = usedBytes() - before
const found = await search(texts, 5)
const rounds = scale === 'quick' ? 1 : 5
const all = await cpuMs(async () => {
  for (let round = 0; round < rounds; round += 1) await search(texts, 5)
})
process.send({ found, firstMs: first, searchMs: all / rounds / texts.length, indexKib: Math.max(0, index / 1024) })

async function cpuMs(work) {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

function usedBytes() {
  for (let round = 0; round < 4; round += 1) collect()
  return process.memoryUsage().heapUsed
}
