import { captured } from './captured.mjs'

const WAYS = [
  { compiler: 'TypeScript 7', folder: 'typescript-7', resolution: 'nodenext', module: 'nodenext' },
  { compiler: 'TypeScript 7', folder: 'typescript-7', resolution: 'bundler', module: 'esnext' },
  { compiler: 'TypeScript 5.9', folder: 'typescript', resolution: 'nodenext', module: 'nodenext' },
  { compiler: 'TypeScript 5.9', folder: 'typescript', resolution: 'bundler', module: 'esnext' },
]

/**
 * Returns the type checks of a project, including the declarations of packages: all four checks if `isThorough` is set, otherwise the fastest one.
 */
export function typeChecks(project, title, isThorough) {
  return WAYS.slice(0, isThorough ? 4 : 1).map(({ compiler, folder, resolution, module }) => ({
    name: `${title}, ${compiler}, ${resolution}`,
    run: () => typeCheck(project, folder, ['--module', module, '--moduleResolution', resolution]),
  }))
}

/** Type-checks a project. Fails for errors in the files of the project and of toolgen. Only reports errors in the declarations of other packages. */
function typeCheck(project, compiler, options) {
  const tsc = `node_modules/${compiler}/bin/tsc`
  const args = [tsc, '--noEmit', '-p', '.', '--pretty', 'false', '--skipLibCheck', 'false', ...options]
  const { code, output } = captured('node', args, project)
  const errors = output.split('\n').filter((line) => /error TS\d+:/.test(line))
  const others = errors.filter(
    (line) => /^[^(]*node_modules\//.test(line) && !/^[^(]*node_modules\/@toolgen\//.test(line),
  )
  const note = [...new Set(others.map(packageOf))].join(', ')
  if (errors.length > others.length)
    return { code: 1, output: errors.filter((line) => !others.includes(line)).join('\n') }
  return { code: errors.length > 0 ? 0 : code, output, ...(note !== '' && { note: `errors in ${note}` }) }
}

/** Returns the package of a line of output: `@a/b` for `node_modules/.pnpm/x/node_modules/@a/b/c.d.ts(1,2): error`. */
function packageOf(line) {
  const [path] = line.split('(')
  const below = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length).split('/')
  return below.slice(0, below[0].startsWith('@') ? 2 : 1).join('/')
}
