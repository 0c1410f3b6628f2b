//! What Python sees of a run: its bundle, read by the crates that the tool itself reads it with. Values go out as plain
//! dictionaries; what they are called is `docs/results-json.md`, and how they are dressed is `farmjank/`, in Python.
//! Must not know: numpy, pandas, how a file of a bundle is written.
//!
//! ```python
//! import farmjank
//!
//! for window in farmjank.open("run").windows():
//!     print(window.name, window.device, window.verdict, window.metrics["fps"]["value"])
//! ```

mod columns;
mod trial;

use farmjank_bundle::reader::BundleReader;
use farmjank_reporters::cells::{Cell, cells};
use farmjank_reporters::json;
use farmjank_results::cells::measured;
use farmjank_results::file_error::FileError;
use farmjank_results::record::Record;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde::Serialize;
use std::path::PathBuf;

create_exception!(
    farmjank,
    BundleError,
    PyException,
    "A run cannot be read: the file, and what is wrong with it."
);

/// The folder of a run, open.
#[pyclass(frozen, module = "farmjank._native")]
struct Bundle {
    reader: BundleReader,
    record: Record,
}

#[pymethods]
impl Bundle {
    /// Opens a folder and reads its log.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        // A log may be long, and other threads have work.
        py.detach(|| {
            let reader = BundleReader::open(&path);
            let record = reader.record().map_err(told)?;
            Ok(Bundle { reader, record })
        })
    }

    /// The run as `results.json` has it.
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        value(py, &json::document(&self.record))
    }

    /// Of each of its cells, in order, the window in every trial, warm-ups included.
    fn trials<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let shapes = |cell: &Cell<'_>| {
            let trials = cell.measured.iter().map(|(of, window)| trial::shape(of, window));
            value(py, &trials.collect::<Vec<_>>())
        };
        cells(&self.record).iter().map(shapes).collect()
    }

    /// The frames of a window in one trial as columns; none where none were seen or kept.
    fn frames<'py>(
        &self,
        py: Python<'py>,
        job: u32,
        window: &str,
        trial: u32,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(job) = self.record.jobs.get(&job) else { return Ok(None) };
        let all = measured(job, window);
        let Some((_, window)) = all.iter().find(|(of, _)| of.trial == trial) else { return Ok(None) };
        let frames = py.detach(|| self.reader.frames(window)).map_err(told)?;
        frames.map(|frames| columns::of(py, &frames)).transpose()
    }
}

fn told(why: FileError) -> PyErr {
    BundleError::new_err(why.to_string())
}

/// The words of each column of words.
fn words(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for (name, words) in columns::words() {
        all.set_item(name, PyTuple::new(py, words)?)?;
    }
    Ok(all)
}

/// As JSON has it, in Python's own types: what JSON has no number for is none.
fn value<'py>(py: Python<'py>, of: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let plain = serde_json::to_value(of).map_err(|why| BundleError::new_err(why.to_string()))?;
    Ok(pythonize::pythonize(py, &plain)?)
}

/// The compiled half of the package.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Bundle, BundleError};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("WORDS", super::words(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
