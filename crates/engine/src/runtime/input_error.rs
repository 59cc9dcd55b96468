//! Errors of readers as errors of the engine.

use crate::Error;
use format::FormatError;

impl From<input::InputError> for Error {
    /// The error of who takes the documents, where the engine knows it.
    fn from(error: input::InputError) -> Error {
        fn known<E: Into<Error> + std::error::Error + 'static>(
            error: input::SinkError,
        ) -> Result<Error, input::SinkError> {
            error.downcast::<E>().map(|error| (*error).into())
        }
        let input::InputError::Sink(inner) = error else {
            return Error::Input(error);
        };
        let inner = known::<Error>(inner).or_else(known::<FormatError>);
        let inner = inner.or_else(known::<output::OutputError>);
        let inner = inner.or_else(known::<sort::BudgetError>);
        inner.unwrap_or_else(|inner| Error::Input(input::InputError::Sink(inner)))
    }
}
