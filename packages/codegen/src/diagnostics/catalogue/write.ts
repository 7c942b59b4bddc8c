import type { Catalogue } from './catalogue-entry.js'

/** What the write room reports: the output folder and its lock. */
export const writeCatalogue: Catalogue = {
  TG5001: {
    title: 'A generated file was changed by hand',
    cause:
      'The file is listed in toolgen.lock.json, but its content is neither what toolgen wrote last nor what it would ' +
      'write now. Line ends do not count. Writing it again would lose the change, so nothing was written.',
    fix:
      'Move the change to where it lasts: the design, or a mapper in the executor options. Then delete the file ' +
      'and run:\n\n    toolgen generate\n\nTo throw the change away:\n\n    toolgen generate --force',
  },
  TG5002: {
    title: 'A file of yours stands where a generated file must go',
    cause:
      'The design needs a file of this name in the output folder, but the file there was not written by toolgen: the ' +
      'lock does not list it and it lacks the head of generated files. toolgen never overwrites such a file, not even ' +
      'with --force.',
    fix: 'Move the file elsewhere, or give the output a folder of its own:\n\n    export default defineConfig({ design, output: "src/gen" })',
  },
  TG5003: {
    title: 'The output cannot be written at this path',
    cause:
      'A file, a symbolic link or a special file stands where toolgen needs a folder, or a folder or link where it ' +
      'needs a file. Links are not followed, since they may lead out of the project.',
    fix: 'Move what stands there, or choose another `output` folder. Where a link is meant, name its target instead.',
  },
  TG5004: {
    title: 'The operating system refused to read or write the output',
    cause:
      'A file operation failed: no permission, a read-only file system, no space, or a path that is too long. All ' +
      'steps before it were undone, so the output is as it was.',
    fix: 'Make the folder writable or free some space, and run toolgen generate again; or choose another `output` folder.',
  },
  TG5005: {
    title: 'The lock file cannot be read',
    cause:
      'toolgen.lock.json tells which files toolgen wrote, so that it never touches others. It is no JSON, has another ' +
      'form, or lists paths outside the output folder. Most often a merge left its marks in it.',
    fix:
      'After a merge, take either side and generate anew:\n\n' +
      '    git checkout --ours -- gen/toolgen.lock.json\n    toolgen generate --force\n\n' +
      'Otherwise restore the file from version control. With --force an unreadable lock counts as none.',
  },
  TG5006: {
    title: 'The lock file was written by a later toolgen',
    cause: 'The contract version in toolgen.lock.json is higher than this toolgen knows. Writing would take it back.',
    fix: 'Install the version that the others use:\n\n    npm install --save-dev @toolgen/codegen@latest\n    npx toolgen generate',
  },
  TG5007: {
    title: 'Another run is writing to the same output',
    cause: 'One run at a time changes an output folder. This one waited ten seconds for the other.',
    fix:
      'Wait until the other run is done. If no such process exists any more (on another machine that shares the ' +
      'folder, toolgen cannot see that for ten minutes), delete the folder .toolgen in the output.',
  },
  TG5008: {
    title: 'A generated file that the lock does not list',
    cause:
      'The file carries the head of generated files and differs from what toolgen would write, but the lock does not ' +
      'list it: the lock was deleted, or a merge took one side of it. Changes by hand cannot be told from old output.',
    fix: 'Restore the lock from version control, or overwrite the file:\n\n    toolgen generate --force',
  },
  TG5009: {
    title: 'A generated file that belongs to nothing',
    cause:
      'The file in the output folder carries the head of generated files, but neither the lock nor the design knows ' +
      'it. toolgen does not remove it, since it cannot know whose it is.',
    fix: 'Delete the file if nothing imports it.',
  },
  TG5010: {
    title: 'The output is half written',
    cause:
      'A file operation failed while files were moved into place, and undoing the steps before it failed too. Some ' +
      'files are new and some are old; a journal in the folder .toolgen tells the next run which.',
    fix: 'Make the folder writable, then repair the output:\n\n    toolgen generate',
  },
  TG5011: {
    title: 'Temporary files could not be removed',
    cause: 'Everything was written, but the operating system refused to remove the folder .toolgen in the output.',
    fix: 'Delete the folder. The next run that writes something also removes it.',
  },
  TG5012: {
    title: 'The output folder holds files of yours',
    cause:
      'Files in the output folder belong to toolgen. This folder exists, holds files without the head of generated ' +
      'files, and no toolgen.lock.json: most likely `output` names a folder of your sources. Dot files do not count.',
    fix:
      'Give the output a folder of its own:\n\n    export default defineConfig({ design, output: "src/gen" })\n\n' +
      'If the folder is the right one and its lock was lost, restore the lock from version control, or move your files.',
  },
  TG5013: {
    title: 'Codecs in JavaScript are not copied by tsc',
    cause:
      "With `codecs: 'js'` the codecs are `codecs.js` beside `codecs.d.ts`. `tsc` reads the types and writes neither to its " +
      '`outDir`, so that the compiled program would not find them. Bundlers, tsx, vitest and Node with type stripping do.',
    fix:
      'Copy them after `tsc`, as the message says with the output of the project, e.g. in a script of package.json:\n\n' +
      '    "build": "tsc && node copy-codecs.mjs"\n\nor leave out `codecs`: `codecs.ts` is compiled like all the rest.',
  },
  TG5020: {
    title: 'A generated file is missing',
    cause: 'The design gives a file that is not on the disk: it was never generated, not committed, or deleted.',
    fix: 'Generate and commit the result:\n\n    toolgen generate',
  },
  TG5021: {
    title: 'A generated file is out of date',
    cause:
      'The file is as toolgen wrote it, but the design, the configuration, a service client’s type or toolgen ' +
      'itself has changed since.',
    fix: 'Generate and commit the result:\n\n    toolgen generate',
  },
  TG5022: {
    title: 'A generated file belongs to no part of the design',
    cause: 'The tool, toolset or agent that the file was generated for is gone, or has another name.',
    fix: 'Generate and commit the result:\n\n    toolgen generate\n\nWhat the lock does not list is to be deleted by hand.',
  },
}
