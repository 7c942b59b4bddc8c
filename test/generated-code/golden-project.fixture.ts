import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const goldens = join(import.meta.dirname, '../goldens')

/** The designs of goldens as files of another project, each in a folder of its name, with another configuration. */
export function goldenFiles(
  names: readonly string[],
  config: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const text = `export default ${JSON.stringify({ design: 'design/*.ts', ...config })}\n`
  return Object.fromEntries(
    names.flatMap((name) => [
      [`${name}/toolgen.config.ts`, text],
      [`${name}/package.json`, '{ "private": true, "type": "module" }\n'],
      ...['design', 'src'].flatMap((folder) =>
        readdirSync(join(goldens, name, folder)).map((file): readonly [string, string] => [
          `${name}/${folder}/${file}`,
          readFileSync(join(goldens, name, folder, file), 'utf8'),
        ]),
      ),
    ]),
  )
}
