//! The page of a program in a real browser, headless: scripts run without errors, and it shows what the program is.

use litz::frontend::from_pt2;
use litz::session::{Executable, Options, compile};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let files = std::env::split_paths(&folders).flat_map(|f| names.map(|n| f.join(n)));
    let mut found: Vec<PathBuf> = files.filter(|f| f.is_file()).collect();
    // Ubuntu's package of that name may be a script that asks for a snap.
    found.retain(|f| Command::new(f).arg("--version").output().is_ok_and(|o| o.status.success()));
    found.into_iter().next()
}

/// The browser, or `None` where there is none, which CI must not have where the distribution has a package.
fn needed_browser() -> Option<PathBuf> {
    let found = browser();
    if found.is_none() {
        let message = "there is no Chromium to look at pages with: scripts/setup installs it on Debian";
        let system = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let has_package = system.lines().any(|line| line == "ID=debian");
        assert!(!has_package || std::env::var_os("CI").is_none(), "{message}");
        eprintln!("NOT TESTED: {message}");
    }
    found
}

fn program(backend: &str, settings: &[(&str, &str)]) -> Executable {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/modules_and_lines.pt2");
    let graph = from_pt2(&path).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::new();
    options.set("backend", backend).expect("a backend");
    for (key, value) in settings {
        options.set(key, value).unwrap_or_else(|e| panic!("{e}"));
    }
    compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"))
}

/// What a script finds in a page, which the browser has shown.
fn shown(browser: &Path, html: &str, script: &str) -> Json {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let watch =
        "<script>window.mistakes = []; addEventListener('error', e => mistakes.push(e.message));</script>";
    let look = format!(
        "<pre id=\"seen\"></pre><script>addEventListener('load', () => {{ document.getElementById('seen').textContent = \
         'SEEN' + JSON.stringify((() => {{ {script} }})()) + 'SEEN'; }});</script>"
    );
    let page =
        html.replace("<head>", &format!("<head>{watch}")).replace("</body>", &format!("{look}</body>"));
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).expect("the page can be written");
    let profile = folder.path().join("profile");
    let output = folder.path().join("dom");
    let mut child = Command::new(browser)
        .args(["--headless", "--disable-gpu", "--no-sandbox", "--no-first-run", "--disable-dev-shm-usage"])
        .args([
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--window-size=1400,2000",
            "--virtual-time-budget=5000",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .stdout(std::fs::File::create(&output).expect("a file for its output"))
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the browser starts");
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the browser can be waited for") {
            assert!(status.success(), "the browser ended with {status}");
            break;
        }
        if start.elapsed() > Duration::from_secs(120) {
            let _ = child.kill();
            panic!("the browser does not end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let dom = std::fs::read_to_string(&output).expect("the page as the browser has it");
    let seen = dom.split("SEEN").nth(1).unwrap_or_else(|| panic!("the page's scripts did not run: {dom}"));
    let text = seen.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {seen}"))
}

const LOOK: &str = "
    const count = what => document.querySelectorAll(what).length;
    const rows = [...document.querySelectorAll('#kernels tbody tr')];
    const last = rows[rows.length - 1];
    const before = document.getElementById('source').textContent;
    last.click();
    const chosen = document.getElementById('chosen').textContent, source = document.getElementById('source').textContent;
    const width = document.querySelector('.canvas svg')?.width.baseVal.value;
    document.getElementById('closer').click();
    const wider = document.querySelector('.canvas svg')?.width.baseVal.value > width;
    document.querySelectorAll('#kernels th')[4].click();
    const bytes = [...document.querySelectorAll('#kernels tbody tr')].map(r => Number(r.cells[4].dataset.value));
    const box = document.querySelector('.canvas .node').getBoundingClientRect();
    return {
        mistakes, ready: document.documentElement.dataset.ready, rows: rows.length, nodes: count('.canvas .node.operator'),
        frames: count('.canvas .frame.kernel'), edges: count('.canvas .edge'), spans: count('#memory .span'),
        points: count('#roofline .point'), before, chosen, source, marked: count('tr.chosen'), wider,
        sorted: bytes.every((b, k) => k == 0 || bytes[k - 1] >= b), drawn: box.width > 10 && box.height > 5,
        loads: performance.getEntriesByType('resource').length, title: document.title,
        overflow: document.documentElement.scrollWidth > innerWidth + 1,
        names: [...document.querySelectorAll('.canvas .node.operator .detail')].map(t => t.textContent),
    };";

#[test]
fn a_page_shows_the_program() {
    let Some(browser) = needed_browser() else { return };
    let executable = program("cpu", &[]);
    let about: Json = serde_json::from_str(&executable.describe()).expect("JSON");
    let seen = shown(&browser, &executable.report().unwrap(), LOOK);
    assert_eq!(seen["mistakes"], serde_json::json!([]));
    assert_eq!(seen["ready"], "yes");
    let kernels = about["kernels"].as_array().expect("kernels");
    assert_eq!(seen["rows"], kernels.len(), "{seen}");
    // Every node of the program by its name, and a box for each kernel that computes one first.
    let names = seen["names"].as_array().expect("names");
    for node in about["nodes"].as_array().expect("nodes") {
        assert!(names.contains(&node["node"]), "{} among {names:?}", node["node"]);
    }
    let boxes = seen["frames"].as_u64().unwrap_or(0);
    assert!(boxes >= 1 && boxes <= kernels.len() as u64, "{seen}");
    assert!(seen["edges"].as_u64() >= Some(names.len() as u64 - 1) && seen["drawn"] == true, "{seen}");
    // A kernel that is chosen shows its source and marks its row.
    assert!(
        seen["before"].as_str().is_some_and(|s| s.contains("LITZ_KERNEL") || s.contains("litz_")),
        "{seen}"
    );
    assert!(
        seen["chosen"].as_str().is_some_and(|s| s.starts_with("Kernel ")) && seen["source"] != "",
        "{seen}"
    );
    assert_eq!((&seen["marked"], &seen["wider"], &seen["sorted"]), (&1.into(), &true.into(), &true.into()));
    assert_eq!((&seen["loads"], &seen["overflow"]), (&0.into(), &false.into()), "it stands by itself");
    assert!(seen["spans"].as_u64() >= Some(1), "{seen}");
}

#[test]
fn a_picture_alone_is_an_image() {
    let Some(browser) = needed_browser() else { return };
    let executable = program("interpreter", &[]);
    let svg = executable.draw(litz::picture::Format::Svg).unwrap_or_else(|e| panic!("{e}"));
    let body = svg.split_once("?>").map_or(svg.as_str(), |s| s.1);
    // A file of XML is stricter than a page: what is no XML would be no document.
    let page =
        format!("<!DOCTYPE html><html><head></head><body>{body}<template id=\"t\"></template></body></html>");
    let look = "
        const text = new XMLSerializer().serializeToString(document.querySelector('svg'));
        const again = new DOMParser().parseFromString(text, 'image/svg+xml');
        const rects = [...document.querySelectorAll('.node')].map(n => n.getBoundingClientRect());
        const texts = [...document.querySelectorAll('.node')].every(n => {
            const box = n.querySelector('rect').getBoundingClientRect();
            return [...n.querySelectorAll('text')].every(t => { const r = t.getBoundingClientRect(); return r.left >= box.left - 1 && r.right <= box.right + 1; });
        });
        return { wrong: again.querySelectorAll('parsererror').length, nodes: rects.length, texts };";
    let seen = shown(&browser, &page, look);
    assert_eq!((&seen["wrong"], &seen["texts"]), (&0.into(), &true.into()), "{seen}");
    assert!(seen["nodes"].as_u64() > Some(5), "{seen}");
}

/// A run of the network in the page's program.
fn run(executable: &Executable) {
    let plan = executable.plan();
    let inputs: Vec<litz::runtime::Tensor> = (plan.inputs.iter().enumerate())
        .map(|(k, input)| {
            let shape: Vec<i64> = input.min_shape.clone();
            litz::runtime::Tensor::zeros(executable.inputs()[k].dtype, &shape)
                .unwrap_or_else(|e| panic!("{e}"))
        })
        .collect();
    executable.run_tensors(&inputs.iter().collect::<Vec<_>>()).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn a_profile_stands_in_describe_and_on_the_page() {
    for backend in ["cpu", "interpreter"] {
        let threads = [("profile", "true"), ("cpu.threads", "1")];
        let executable = program(backend, if backend == "cpu" { &threads } else { &threads[..1] });
        (0..3).for_each(|_| run(&executable));
        let about: Json = serde_json::from_str(&executable.describe()).expect("JSON");
        let profile = &about["profile"];
        assert_eq!((&profile["runs"], &profile["timed_runs"]), (&3.into(), &3.into()), "{profile}");
        let kernels = profile["kernels"].as_array().expect("kernels");
        let of_runs = about["kernels"].as_array().expect("kernels").iter().filter(|k| k["stage"] == "run");
        assert_eq!(kernels.len(), of_runs.clone().count());
        let mut inside = 0.0;
        for (kernel, about) in kernels.iter().zip(of_runs) {
            let number = |key: &str| kernel[key].as_f64().unwrap_or_else(|| panic!("{key} of {kernel}"));
            assert_eq!((&kernel["name"], &kernel["calls"]), (&about["name"], &3.into()));
            assert_eq!((&kernel["modules"], &kernel["source"]), (&about["modules"], &about["source"]));
            assert!(number("seconds") > 0.0 && number("last_seconds") > 0.0, "{kernel}");
            assert!((number("run_seconds") * 3.0 - number("seconds")).abs() < 1e-9);
            assert_eq!(
                (number("run_bytes"), number("run_flop")),
                (about["bytes"].as_f64().unwrap(), about["flop"].as_f64().unwrap())
            );
            assert!(number("share_of_limit") > 0.0, "{kernel}");
            inside += number("seconds");
        }
        assert!(inside <= profile["seconds"].as_f64().unwrap_or(0.0), "{profile}");
        assert!(profile["limits"]["flop_per_second"].as_f64() > Some(1e8), "{profile}");
        let table = profile["table"].as_str().expect("a table");
        assert!(table.starts_with("3 runs in ") && table.lines().count() >= kernels.len() + 4, "{table}");
    }
    let Some(browser) = needed_browser() else { return };
    let executable = program("cpu", &[("profile", "true")]);
    run(&executable);
    let seen = shown(&browser, &executable.report().unwrap(), LOOK);
    assert_eq!(seen["mistakes"], serde_json::json!([]));
    assert!(seen["points"].as_u64() >= Some(3), "{seen}");
}

#[test]
fn sizes_of_each_run_count() {
    let text = "graph \"g\" {\n  symbol rows in [1, 64]\n  input %0 \"x\": float32[rows, 8]\n  %1 = aten.neg.default(%0)\n  output \"y\" = %1\n}\n";
    let graph = litz::meta::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::new();
    options.set("backend", "interpreter").and_then(|()| options.set("profile", "true")).expect("options");
    let executable = compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let mut want = 0.0;
    for rows in [1, 64, 10] {
        let x = litz::runtime::Tensor::zeros(litz::types::Dtype::Float32, &[rows, 8])
            .unwrap_or_else(|e| panic!("{e}"));
        executable.run_tensors(&[&x]).unwrap_or_else(|e| panic!("{e}"));
        want += (rows * 8) as f64;
    }
    let about: Json = serde_json::from_str(&executable.describe()).expect("JSON");
    let kernel = &about["profile"]["kernels"][0];
    let sum = |key: &str| kernel[key].as_f64().unwrap_or(-1.0) * 3.0;
    assert!(
        (sum("run_flop") - want).abs() < 1e-6 && (sum("run_bytes") - 8.0 * want).abs() < 1e-6,
        "{kernel}"
    );
    let plain = compile(&graph, &Options::new()).unwrap_or_else(|e| panic!("{e}"));
    let about: Json = serde_json::from_str(&plain.describe()).expect("JSON");
    assert_eq!(about.get("profile"), None);
}

#[test]
fn runs_of_an_artifact_are_profiled_by_their_sizes_and_told_by_its_own_numbers() {
    use litz::runtime::Tensor;
    use litz::session::{compile_artifact, open};
    use litz::types::Dtype;
    let text = "graph \"g\" {\n  symbol rows in [1, 64] hint 8\n  input %0 \"x\": float32[rows, 8]\n  parameter %1 \"w\": float32[8, 8] = seeded 1 mean 0.0 spread 1.0\n\
                %2 = aten.mm.default(%0, %1)\n  %3 = aten.rand.default([rows, 8])\n  %4 = aten.add.Tensor(%2, %3)\n  %5 = aten.softmax.int(%4, 1)\n  output \"y\" = %5\n}\n";
    let graph = litz::meta::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let of = |keys: &[(&str, &str)]| {
        let mut options = Options::new();
        keys.iter().for_each(|(key, value)| options.set(key, value).expect("an option"));
        options
    };
    let run = |executable: &Executable| {
        for rows in [1, 64, 10] {
            let x = Tensor::zeros(Dtype::Float32, &[rows, 8]).unwrap_or_else(|e| panic!("{e}"));
            executable.run_tensors(&[&x]).unwrap_or_else(|e| panic!("{e}"));
        }
    };
    let sums = |executable: &Executable| -> Vec<(f64, f64)> {
        let about: Json = serde_json::from_str(&executable.describe()).expect("JSON");
        let kernels = about["profile"]["kernels"].as_array().expect("kernels").clone();
        let sum = |kernel: &Json, key: &str| {
            kernel[key].as_f64().unwrap_or_else(|| panic!("{key} of {kernel}"))
                * kernel["calls"].as_f64().unwrap()
        };
        kernels.iter().map(|k| (sum(k, "run_bytes"), sum(k, "run_flop"))).collect()
    };
    let profiled =
        compile(&graph, &of(&[("backend", "cpu"), ("profile", "true")])).unwrap_or_else(|e| panic!("{e}"));
    run(&profiled);
    let want = sums(&profiled);
    let flop: f64 = want.iter().map(|w| w.1).sum();
    assert!(flop > (75 * 8 * 8 * 2) as f64, "{want:?}");
    let plain = folder.path().join("plain.so");
    compile_artifact(&graph, &of(&[("backend", "cpu")]), &plain).unwrap_or_else(|e| panic!("{e}"));
    let saved = folder.path().join("saved.so");
    profiled.save(&saved).unwrap_or_else(|e| panic!("{e}"));
    // What nobody asked to be profiled computes no costs: the plans are the same.
    let scalars =
        |path: &Path| open(path, &Options::new()).unwrap_or_else(|e| panic!("{e}")).plan().scalars.len();
    assert_eq!(scalars(&plain), scalars(&saved));
    assert!(profiled.plan().scalars.len() > scalars(&plain));
    let mut numbers = Vec::new();
    for path in [&plain, &saved] {
        let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let list = std::sync::Arc::clone(&told);
        let mut options = of(&[("profile", "true")]);
        options.set_trace(Some(std::sync::Arc::new(move |line: &str| {
            list.lock().unwrap().push(serde_json::from_str::<Json>(line).expect("JSON"));
        })));
        let opened = open(path, &options).unwrap_or_else(|e| panic!("{e}"));
        run(&opened);
        assert_eq!(sums(&opened), want);
        let told = told.lock().unwrap();
        let ids = |e: &Json| (e["compile"].as_u64().unwrap(), e["graph"].as_u64().unwrap());
        assert_eq!(
            (told[0]["event"].as_str(), told[0]["stage"].as_str()),
            (Some("stage"), Some("open")),
            "{told:?}"
        );
        let text = told[1]["text"].as_str().expect("a message");
        assert!(text.contains("program `g` opened from `") && text.contains(".so`"), "{text}");
        let runs =
            told.iter().filter(|e| e["event"] == "kernel_run" && e["bytes"].is_f64() && e["flop"].is_f64());
        assert_eq!(runs.count(), 3 * want.len(), "{told:?}");
        assert!(told.iter().all(|e| ids(e) == ids(&told[0])) && ids(&told[0]).0 > 0 && ids(&told[0]).1 > 0);
        numbers.push(ids(&told[0]));
    }
    assert!(numbers[0].0 != numbers[1].0 && numbers[0].1 != numbers[1].1, "{numbers:?}");
}

#[test]
fn weights_in_panels_are_bytes_that_a_kernel_reads() {
    let text = "graph \"g\" {\n  input %0 \"x\": float32[4, 8]\n  input %1 \"image\": float32[1, 2, 6, 6]\n\
                parameter %2 \"w\": float32[8, 8] = seeded 1 mean 0.0 spread 1.0\n  parameter %3 \"f\": float32[4, 2, 3, 3] = seeded 2 mean 0.0 spread 1.0\n\
                %4 = aten.mm.default(%0, %2)\n  %5 = aten.conv2d.default(%1, %3)\n  output \"y\" = %4\n  output \"z\" = %5\n}\n";
    let graph = litz::meta::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let executable = compile(&graph, &Options::new()).unwrap_or_else(|e| panic!("{e}"));
    let about: Json = serde_json::from_str(&executable.describe()).expect("JSON");
    let bytes = |operator: &str| {
        let kernels = about["kernels"].as_array().expect("kernels").iter();
        let of = |k: &&Json| {
            k["stage"] == "run" && k["operators"].as_array().is_some_and(|o| o.iter().any(|o| *o == operator))
        };
        kernels.filter(of).map(|k| k["bytes"].as_i64().expect("bytes")).sum::<i64>()
    };
    assert_eq!(bytes("aten.mm.default"), 4 * (4 * 8 + 8 * 8 + 4 * 8), "{}", about["kernels"]);
    let convolution = bytes("aten.convolution.default").max(bytes("aten.conv2d.default"));
    assert!(convolution >= 4 * (2 * 6 * 6 + 4 * 2 * 3 * 3 + 4 * 4 * 4), "{}", about["kernels"]);
}

#[test]
fn a_trace_has_the_kernels_of_profiled_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("trace.json");
    let path = file.to_str().expect("the path is UTF-8");
    let executable = program("interpreter", &[("profile", "true"), ("trace.file", path)]);
    (0..2).for_each(|_| run(&executable));
    let text = std::fs::read_to_string(&file).expect("the trace");
    let events: Vec<Json> = serde_json::from_str(&text).expect("JSON");
    let of = |kind: &str| events.iter().filter(|e| e["args"]["event"] == kind).cloned().collect::<Vec<_>>();
    let (runs, kernels) = (of("run"), of("kernel_run"));
    let about: Json = serde_json::from_str(&executable.describe()).expect("JSON");
    let known = about["profile"]["kernels"].as_array().expect("kernels");
    let timed = kernels.iter().filter(|k| !k["args"]["kernel"].is_null()).count();
    assert_eq!((runs.len(), timed), (2, 2 * known.len()));
    let begin = |e: &Json| e["ts"].as_f64().unwrap_or(-1.0);
    let end = |e: &Json| begin(e) + e["dur"].as_f64().unwrap_or(0.0);
    for kernel in &kernels {
        // Microseconds: clocks are read a little later than what they time.
        let within = |r: &&Json| begin(r) <= begin(kernel) + 50.0 && end(kernel) <= end(r) + 50.0;
        assert_eq!((kernel["ph"].as_str(), runs.iter().filter(within).count()), (Some("X"), 1), "{kernel}");
    }
}
