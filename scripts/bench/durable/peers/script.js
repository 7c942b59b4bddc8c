import { readFileSync } from 'node:fs'

/** Version of an installed package. */
export function packageVersion(name) {
  return JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')).version
}

/** Returns the calls of a step, from 0. In the script `cancel A; cancel B | refund C`, `|` separates steps and `;` parallel calls. */
export function callsOf(script, step) {
  const calls = script.split(' | ')[step]?.split('; ') ?? []
  return calls.map((call, index) => {
    const [name, argument] = call.split(' ')
    return { toolCallId: `call_${step + 1}_${index + 1}`, name, argument }
  })
}
