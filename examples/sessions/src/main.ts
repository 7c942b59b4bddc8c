import { demo } from './demo.js'

const ended = new AbortController()
const limit = setTimeout(() => ended.abort('It has taken more than two minutes.'), 120_000)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ended.abort(`It was ended by ${signal}.`))

try {
  await demo({ print: console.log, env: process.env, signal: ended.signal })
} catch (error) {
  console.error(ended.signal.aborted ? ended.signal.reason : error)
  process.exitCode = 1
} finally {
  clearTimeout(limit)
}
